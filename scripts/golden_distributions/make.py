"""Writes distributions/testdata/torch.json.gz: what torch.distributions and scipy.stats compute.

Environment: requirements.txt. Everything is float64. A case of "families" is a distribution with its parameters, values and the results:
log_prob, its gradients by the parameters, and what else PyTorch has of mean, variance, mode, entropy, cdf and icdf; "scipy" marks
results of scipy.stats, where PyTorch has none. "kl" has pairs of families, "transforms" has arguments, results and log |det|.
Infinite numbers and NaN are strings.
"""
import gzip
import json
import math
import os

import numpy as np
import scipy.stats as st
import torch
import torch.distributions as D
from torch.distributions import constraints as C

torch.set_default_dtype(torch.float64)
torch.manual_seed(7)
T = torch.tensor


def number(v):
    v = float(v)
    if math.isnan(v):
        return "nan"
    if math.isinf(v):
        return "inf" if v > 0 else "-inf"
    return v


def plain(t):
    t = torch.as_tensor(t).detach()
    return [list(t.shape), [number(v) for v in t.reshape(-1).tolist()]]


def spd(n, seed, batch=()):
    g = torch.Generator().manual_seed(seed)
    a = torch.randn(*batch, n, n, generator=g)
    return a @ a.mT + n * torch.eye(n)


a3, b3, c3 = T([0.3, 1.0, 2.5]), T([0.7, 1.5, 4.0]), T([0.2, 0.5, 0.9])
q3 = T([[0.1], [0.5], [0.97]])
row = T([[0.2, 0.3, 0.5], [0.6, 0.1, 0.3]])
L2 = torch.linalg.cholesky(spd(3, 1, (2,)))
corr = D.LKJCholesky(4, 1.3).sample((2,))
FAMILIES = [
    ("Normal", dict(loc=T([0.0, 5.0, -2.0]), scale=b3), T([[0.1], [4.0]])),
    ("Normal", dict(loc=T(1.5), scale=T([[0.5], [2.0]])), T([-1.0, 0.0, 30.0])),
    ("HalfNormal", dict(scale=b3), T([[0.1], [4.0]])),
    ("Uniform", dict(low=T([-1.0, 0.0]), high=T([2.0, 0.5])), T([[0.1], [0.3]])),
    ("Exponential", dict(rate=b3), T([[0.1], [4.0]])),
    ("Laplace", dict(loc=T([0.0, 5.0, -2.0]), scale=b3), T([[0.1], [4.0]])),
    ("Cauchy", dict(loc=T([0.0, 5.0, -2.0]), scale=b3), T([[0.1], [4.0]])),
    ("HalfCauchy", dict(scale=b3), T([[0.1], [4.0]])),
    ("Gumbel", dict(loc=T([0.0, 5.0, -2.0]), scale=b3), T([[0.1], [4.0]])),
    ("StudentT", dict(df=T([1.5, 3.0, 30.0]), loc=T([0.0, 1.0, -2.0]), scale=b3), T([[0.1], [4.0]])),
    ("StudentT", dict(df=T([0.5, 1.0, 2.0]), loc=T(0.0), scale=T(1.0)), T([[0.1], [4.0]])),
    ("Gamma", dict(concentration=a3, rate=b3), T([[0.1], [4.0]])),
    ("Chi2", dict(df=T([0.5, 3.0, 10.0])), T([[0.1], [4.0]])),
    ("InverseGamma", dict(concentration=T([0.3, 1.5, 2.5]), rate=b3), T([[0.1], [4.0]])),
    ("FisherSnedecor", dict(df1=T([1.0, 3.0, 10.0]), df2=T([2.0, 5.0, 9.0])), T([[0.1], [4.0]])),
    ("Beta", dict(concentration1=T([1.5, 2.0, 5.0]), concentration0=T([3.0, 1.5, 2.0])), T([[0.1], [0.6]])),
    ("Beta", dict(concentration1=a3, concentration0=b3), T([[0.1], [0.6]])),
    ("Dirichlet", dict(concentration=T([[1.5, 2.0, 5.0], [1.1, 1.2, 1.3]])), row),
    ("Kumaraswamy", dict(concentration1=a3, concentration0=b3), T([[0.1], [0.6]])),
    ("Pareto", dict(scale=b3, alpha=T([0.5, 1.5, 3.0])), T([[4.5], [40.0]])),
    ("Weibull", dict(scale=b3, concentration=a3), T([[0.1], [4.0]])),
    ("LogNormal", dict(loc=T([0.0, 1.0, -2.0]), scale=b3), T([[0.1], [4.0]])),
    ("LogisticNormal", dict(loc=T([[0.1, -0.3], [1.0, 0.0]]), scale=T([[0.5, 1.0], [2.0, 1.5]])), row),
    ("GeneralizedPareto", dict(loc=T([0.0, 0.05, -1.0]), scale=b3, concentration=T([0.2, 0.7, 1.2])), T([[0.1], [4.0]])),
    ("VonMises", dict(loc=T([0.0, 1.0, -2.0]), concentration=T([0.2, 3.0, 40.0])), T([[0.1], [-1.5]])),
    ("Bernoulli", dict(probs=c3), T([[0.0], [1.0]])),
    ("Bernoulli", dict(logits=T([-3.0, 0.5, 20.0])), T([[0.0], [1.0]])),
    ("Geometric", dict(probs=c3), T([[0.0], [7.0]])),
    ("Geometric", dict(logits=T([-3.0, 0.5, 2.0])), T([[0.0], [7.0]])),
    ("Binomial", dict(total_count=T(12.0), probs=c3), T([[0.0], [7.0], [12.0]])),
    ("Binomial", dict(total_count=T([5.0, 9.0, 1.0]), logits=T([-3.0, 0.5, 2.0])), T([[0.0], [1.0]])),
    ("NegativeBinomial", dict(total_count=T([0.5, 3.0, 12.0]), probs=T([0.2, 0.5, 0.8])), T([[0.0], [7.0]])),
    ("NegativeBinomial", dict(total_count=T(4.0), logits=T([-3.0, 0.5, 2.0])), T([[0.0], [7.0]])),
    ("Poisson", dict(rate=T([0.5, 3.0, 40.0])), T([[0.0], [7.0]])),
    ("Categorical", dict(probs=T([[0.2, 0.3, 0.5], [4.0, 1.0, 3.0]])), T([[0.0], [2.0]])),
    ("Categorical", dict(logits=T([[0.2, -0.3, 0.5], [4.0, 1.0, 3.0]])), T([[0.0], [2.0]])),
    ("OneHotCategorical", dict(logits=T([[0.2, -0.3, 0.5], [4.0, 1.0, 3.0]])), T([[0.0, 1.0, 0.0]])),
    ("Multinomial", dict(total_count=6, probs=T([[0.2, 0.3, 0.5], [4.0, 1.0, 3.0]])), T([[1.0, 2.0, 3.0]])),
    ("ContinuousBernoulli", dict(probs=T([0.2, 0.5, 0.5005, 0.9])), T([[0.1], [0.6]])),
    ("ContinuousBernoulli", dict(logits=T([-3.0, 0.001, 2.0])), T([[0.1], [0.6]])),
    ("RelaxedBernoulli", dict(temperature=T(0.7), probs=c3), T([[0.1], [0.6]])),
    ("RelaxedBernoulli", dict(temperature=T(2.0), logits=T([-3.0, 0.5, 2.0])), T([[0.1], [0.6]])),
    ("RelaxedOneHotCategorical", dict(temperature=T(0.7), logits=T([[0.2, -0.3, 0.5], [4.0, 1.0, 3.0]])), row),
    ("MultivariateNormal", dict(loc=T([0.0, 1.0, -2.0]), covariance_matrix=spd(3, 2)), T([[0.1, 0.2, 0.3], [1.0, 2.0, -3.0]])),
    ("MultivariateNormal", dict(loc=T([0.0, 1.0, -2.0]), precision_matrix=spd(3, 3)), T([[0.1, 0.2, 0.3], [1.0, 2.0, -3.0]])),
    ("MultivariateNormal", dict(loc=T([[0.0, 1.0, -2.0]]), scale_tril=L2), T([[[0.1, 0.2, 0.3]], [[1.0, 2.0, -3.0]]])),
    ("LowRankMultivariateNormal", dict(loc=T([0.0, 1.0, -2.0]), cov_factor=T([[0.3], [1.0], [-0.5]]), cov_diag=b3),
     T([[0.1, 0.2, 0.3], [1.0, 2.0, -3.0]])),
    ("LowRankMultivariateNormal", dict(loc=T([0.0, 1.0, -2.0]), cov_factor=T([[[0.3], [1.0], [-0.5]], [[1.0], [2.0], [0.0]]]), cov_diag=b3),
     T([[0.1, 0.2, 0.3], [1.0, 2.0, -3.0]])),
    ("Wishart", dict(df=T([4.0, 7.5]), covariance_matrix=spd(3, 4)), spd(3, 5)),
    ("Wishart", dict(df=T(6.0), scale_tril=L2), spd(3, 6)),
    ("LKJCholesky", dict(dim=4, concentration=T([0.5, 2.0])), corr),
]

SCIPY = {
    "Beta": lambda p: st.beta(p["concentration1"], p["concentration0"]),
    "StudentT": lambda p: st.t(p["df"], p["loc"], p["scale"]),
    "FisherSnedecor": lambda p: st.f(p["df1"], p["df2"]),
    "Binomial": lambda p: st.binom(p["total_count"], p["probs"]) if "probs" in p else None,
    "NegativeBinomial": lambda p: st.nbinom(p["total_count"], 1 - p["probs"]) if "probs" in p else None,
    "Poisson": lambda p: st.poisson(p["rate"]),
    "InverseGamma": lambda p: st.invgamma(p["concentration"], scale=p["rate"]),
    "Gamma": lambda p: st.gamma(p["concentration"], scale=1 / p["rate"]),
    "VonMises": lambda p: st.vonmises(p["concentration"], p["loc"]),
    "Geometric": lambda p: st.geom(p["probs"], loc=-1) if "probs" in p else None,
    "Bernoulli": lambda p: st.bernoulli(p["probs"]) if "probs" in p else None,
}
ENTROPIES = {"FisherSnedecor", "Poisson", "VonMises"}  # where PyTorch has none


def attempt(f):
    try:
        return plain(f())
    except NotImplementedError:
        return None


def family(name, params, value):
    params = {k: (v.clone().requires_grad_() if isinstance(v, torch.Tensor) and k != "total_count" else v) for k, v in params.items()}
    d = getattr(D, name)(**params)
    case = {"name": name, "value": plain(value), "batch": list(d.batch_shape), "event": list(d.event_shape)}
    case["params"] = {k: plain(v) if isinstance(v, torch.Tensor) else v for k, v in params.items()}
    lp = d.log_prob(value)
    case["log_prob"] = plain(lp)
    tracked = {k: v for k, v in params.items() if isinstance(v, torch.Tensor) and v.requires_grad}
    weights = torch.linspace(0.5, 1.5, lp.numel()).reshape(lp.shape)
    if name != "VonMises":  # PyTorch has no gradient by the concentration there
        grads = torch.autograd.grad((lp * weights).sum(), list(tracked.values()), allow_unused=True)
        case["grads"] = {k: plain(g) for k, g in zip(tracked, grads) if g is not None}
    out = {}
    for what in ("mean", "variance", "mode"):
        out[what] = attempt(lambda: getattr(d, what))
    out["entropy"] = attempt(d.entropy)
    out["cdf"] = attempt(lambda: d.cdf(value))
    if out["cdf"] is not None and name not in ("Bernoulli",):
        out["icdf"] = attempt(lambda: d.icdf(q3.reshape((3,) + (1,) * len(d.batch_shape))))
    known = {k: v.detach().numpy() if isinstance(v, torch.Tensor) else v for k, v in params.items()}
    peer = SCIPY.get(name, lambda p: None)(known)
    case["scipy"] = []
    if peer is not None:
        if out.get("cdf") is None or name == "VonMises":
            below = peer.cdf(-math.pi) if name == "VonMises" else 0.0  # samples begin at -π
            out["cdf"] = plain(peer.cdf(value.numpy()) - below)
            case["scipy"].append("cdf")
        if name in ENTROPIES:
            out["entropy"] = plain(peer.entropy())
            case["scipy"].append("entropy")
    case.update({k: v for k, v in out.items() if v is not None})
    return case


PAIRS = {
    "Bernoulli": dict(probs=c3), "Beta": dict(concentration1=a3, concentration0=b3), "Binomial": dict(total_count=T(30.0), probs=c3),
    "Categorical": dict(logits=T([[0.2, -0.3, 0.5]])), "Cauchy": dict(loc=T(0.5), scale=b3), "ContinuousBernoulli": dict(probs=c3),
    "Dirichlet": dict(concentration=T([[1.5, 2.0, 5.0], [0.5, 1.0, 9.0]])), "Exponential": dict(rate=b3),
    "Gamma": dict(concentration=a3, rate=b3), "Geometric": dict(probs=c3), "Gumbel": dict(loc=T([0.0, 1.0, -2.0]), scale=b3),
    "HalfNormal": dict(scale=b3), "Laplace": dict(loc=T([0.0, 1.0, -2.0]), scale=b3),
    "LogNormal": dict(loc=T([0.0, 1.0, -2.0]), scale=b3), "Normal": dict(loc=T([0.0, 1.0, -2.0]), scale=b3),
    "OneHotCategorical": dict(logits=T([[0.2, -0.3, 0.5]])), "Pareto": dict(scale=a3, alpha=T([2.5, 3.0, 4.0])), "Poisson": dict(rate=b3),
    "Uniform": dict(low=T([0.1, 0.2, 2.6]), high=T([0.9, 3.0, 4.0])), "Chi2": dict(df=b3),
    "MultivariateNormal": dict(loc=T([0.0, 1.0, -2.0]), covariance_matrix=spd(3, 2)),
    "LowRankMultivariateNormal": dict(loc=T([0.5, 0.0, -2.0]), cov_factor=T([[0.3], [1.0], [-0.5]]), cov_diag=b3),
}
OTHER = {
    "Bernoulli": dict(probs=T([0.5, 0.4, 0.1])), "Beta": dict(concentration1=b3, concentration0=a3),
    "Binomial": dict(total_count=T(30.0), probs=T([0.5, 0.4, 0.1])), "Categorical": dict(logits=T([[1.2, 0.3, -0.5]])),
    "Cauchy": dict(loc=T(-0.5), scale=a3), "ContinuousBernoulli": dict(probs=T([0.5, 0.4, 0.1])),
    "Dirichlet": dict(concentration=T([[2.5, 1.0, 0.5]])), "Exponential": dict(rate=a3), "Gamma": dict(concentration=b3, rate=a3),
    "Geometric": dict(probs=T([0.5, 0.4, 0.1])), "Gumbel": dict(loc=T([1.0, 1.0, 2.0]), scale=a3), "HalfNormal": dict(scale=a3),
    "Laplace": dict(loc=T([1.0, 1.0, 2.0]), scale=a3), "LogNormal": dict(loc=T([1.0, 1.0, 2.0]), scale=a3),
    "Normal": dict(loc=T([1.0, 1.0, 2.0]), scale=a3), "OneHotCategorical": dict(logits=T([[1.2, 0.3, -0.5]])),
    "Pareto": dict(scale=T([0.2, 0.5, 2.6]), alpha=T([1.5, 3.0, 2.0])), "Poisson": dict(rate=a3),
    "Uniform": dict(low=T([0.0, 0.0, -1.0]), high=T([1.0, 0.9, 5.0])), "Chi2": dict(df=a3),
    "MultivariateNormal": dict(loc=T([[1.0, 1.0, 0.0]]), covariance_matrix=spd(3, 8, (2,))),
    "LowRankMultivariateNormal": dict(loc=T([1.0, 1.0, 0.0]), cov_factor=T([[1.3], [0.0], [0.5]]), cov_diag=T([1.0, 2.0, 0.5])),
}


def divergences():
    out = []
    for p, pp in PAIRS.items():
        for q, qp in OTHER.items():
            dp, dq = getattr(D, p)(**pp), getattr(D, q)(**qp)
            try:
                kl = D.kl_divergence(dp, dq)
            except (NotImplementedError, ValueError, RuntimeError):
                continue
            out.append({"p": p, "q": q, "pp": {k: plain(v) for k, v in pp.items()}, "qp": {k: plain(v) for k, v in qp.items()}, "kl": plain(kl)})
    return out


def transforms():
    x = T([[-1.5, 0.2, 2.0], [0.5, 0.1, -3.0]])
    list_ = [
        ("Abs", D.AbsTransform(), x), ("Affine", D.AffineTransform(1.5, -2.0), x), ("Affine1", D.AffineTransform(1.5, T([1.0, 2.0, -0.5]), event_dim=1), x),
        ("Exp", D.ExpTransform(), x), ("Power", D.PowerTransform(T(1.7)), x.abs()), ("Sigmoid", D.SigmoidTransform(), x),
        ("Tanh", D.TanhTransform(), x), ("Softplus", D.SoftplusTransform(), x), ("Softmax", D.SoftmaxTransform(), x),
        ("StickBreaking", D.StickBreakingTransform(), x), ("CorrCholesky", D.CorrCholeskyTransform(), T([[-1.5, 0.2, 2.0, 0.3, 0.1, -0.4]])),
        ("LowerCholesky", D.LowerCholeskyTransform(), torch.stack([x[:, :2], x[:, 1:]])),
        ("PositiveDefinite", D.PositiveDefiniteTransform(), torch.stack([x[:, :2], x[:, 1:]])),
        ("Reshape", D.ReshapeTransform((3,), (3, 1)), x), ("Independent", D.IndependentTransform(D.ExpTransform(), 1), x),
        ("Compose", D.ComposeTransform([D.AffineTransform(1.0, 2.0), D.StickBreakingTransform()]), x),
        ("CDF", D.CumulativeDistributionTransform(D.Normal(0.5, 2.0)), x),
        ("Cat", D.CatTransform([D.ExpTransform(), D.TanhTransform()], dim=-1, lengths=[1, 2]), x),
        ("Stack", D.StackTransform([D.ExpTransform(), D.TanhTransform(), D.SigmoidTransform()], dim=-1), x),
    ]
    out = []
    for name, t, x in list_:
        y = t(x)
        case = {"name": name, "x": plain(x), "y": plain(y), "inverse": plain(t.inv(y))}
        try:
            case["jacobian"] = plain(t.log_abs_det_jacobian(x, y))
        except NotImplementedError:
            pass
        out.append(case)
    return out


def checks():
    """Which values constraints let in."""
    m = torch.stack([spd(2, 9), T([[1.0, 2.0], [2.0, 1.0]]), T([[2.0, 0.0], [0.5, 1.0]]), torch.eye(2)])
    v = T([-1.5, -1.0, 0.0, 0.5, 1.0, 2.0, math.nan, math.inf])
    symmetric = m[[0, 1, 3]]  # PyTorch looks at no eigenvalue if one matrix of a batch is not symmetric
    counts = T([[1.0, 0.0], [2.0, 0.0], [1.0, 2.0], [-1.0, 3.0]])
    s = T([[0.2, 0.8], [0.5, 0.6], [1.0, 0.0], [-0.5, 1.5], [1.0, 1.0]])
    list_ = [("real", C.real, v), ("boolean", C.boolean, v), ("positive", C.positive, v), ("nonnegative", C.nonnegative, v),
             ("unit_interval", C.unit_interval, v), ("nonnegative_integer", C.nonnegative_integer, v), ("positive_integer", C.positive_integer, v),
             ("greater_than", C.greater_than(0.5), v), ("greater_than_eq", C.greater_than_eq(0.5), v), ("less_than", C.less_than(0.5), v),
             ("interval", C.interval(-1.0, 1.0), v), ("half_open_interval", C.half_open_interval(-1.0, 1.0), v),
             ("integer_interval", C.integer_interval(0, 1), v), ("simplex", C.simplex, s), ("one_hot", C.one_hot, s),
             ("real_vector", C.real_vector, s), ("multinomial", C.multinomial(2), counts), ("lower_triangular", C.lower_triangular, m),
             ("lower_cholesky", C.lower_cholesky, m), ("corr_cholesky", C.corr_cholesky, m), ("square", C.square, m),
             ("symmetric", C.symmetric, m), ("positive_semidefinite", C.positive_semidefinite, symmetric), ("positive_definite", C.positive_definite, symmetric),
             ("independent", C.independent(C.positive, 1), s), ("cat", C.cat([C.positive, C.real], -1, [1, 1]), s),
             ("stack", C.stack([C.positive, C.less_than(1.0)], -1), s)]
    return [{"name": n, "x": plain(x), "ok": plain(c.check(x).double())} for n, c, x in list_]


def main():
    data = {"torch": torch.__version__.split("+")[0], "families": [family(*f) for f in FAMILIES], "kl": divergences(),
            "transforms": transforms(), "constraints": checks()}
    path = os.path.join(os.path.dirname(__file__), "../../distributions/testdata/torch.json.gz")
    with open(path, "wb") as f, gzip.GzipFile(fileobj=f, mode="wb", mtime=0) as z:
        z.write(json.dumps(data, separators=(",", ":")).encode())
    print(len(data["families"]), "families,", len(data["kl"]), "divergences,", os.path.getsize(path), "bytes")


main()
