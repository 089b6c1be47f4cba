"""Prints internal/backend/special/temme.go: coefficients of the uniform expansion of the incomplete gamma functions (mpmath 1.3.0)."""
from mpmath import mp, mpf, taylor
import mpmath
mp.dps=60
N=90
# lambda-1 = mu as a series in eta: mu - log(1+mu) = eta^2/2. Solve for coefficients.
# d lambda/d eta = eta*lambda/mu  -> mu*mu' = eta*(1+mu)
a=[mpf(0)]*(N+1); a[1]=mpf(1)
# mu mu' = eta + eta mu ; coefficient of eta^n : sum_{i+j=n} a_i*(j+1)*a_{j+1}
for n in range(2,N+1):
    # unknown a_n appears in eta^n of mu mu': a_1*n*a_n + a_n*1*a_1 -> (n+1)a_n
    rhs = a[n-1]
    s=mpf(0)
    for i in range(2,n):
        j=n-i # mu' coefficient index: j+1 = n-i+1
        s+=a[i]*(j+1)*a[j+1]
    a[n]=(rhs-s)/(n+1)
# 1/mu = 1/eta * 1/(1+a2 eta+...)
c=[a[i+1] for i in range(N)]
inv=[mpf(1)]+[mpf(0)]*(N-1)
for n in range(1,N):
    inv[n]=-sum(c[i]*inv[n-i] for i in range(1,n+1))
# 1/mu coefficient of eta^(n-1) is inv[n]
# Gamma*(a) ~ sum g_k a^-k
B=lambda n: mpmath.bernoulli(n)
M=16
# exp(sum B2k/(2k(2k-1)) a^-(2k-1))
e=[mpf(0)]*(M+1)
for k in range(1,M):
    if 2*k-1<=M: e[2*k-1]=B(2*k)/(2*k*(2*k-1))
g=[mpf(1)]+[mpf(0)]*M
for n in range(1,M+1):
    g[n]=sum(i*e[i]*g[n-i] for i in range(1,n+1))/n
K=9
# c_0 = 1/mu - 1/eta
ck=[inv[n+1] for n in range(N-1)]
allc=[ck]
for k in range(1,K):
    prev=allc[-1]
    # (1/eta) c' : coefficients: c'_n eta^(n-1) /eta ; n=1 term gives prev[1]/eta which must cancel with g/mu's 1/eta
    new=[]
    for n in range(len(prev)-2):
        new.append((n+2)*prev[n+2]+(-1)**k*g[k]*inv[n+1])
    assert abs(prev[1]+(-1)**k*g[k])<mpf(10)**-30,(k,prev[1],g[k])
    allc.append(new)
lens=[26,24,22,20,18,16,14,12,10]
print("package special\n")
print("// temme has the coefficients of ηⁿ/aᵏ in Temme's expansion of the incomplete gamma functions for large a; a row is a power k.")
print("// scripts/special/temme.py prints it.")
print("var temme = [...][]float64{")
for k in range(K):
    row=allc[k][:lens[k]]
    out="\t{"
    line=out
    for v in row:
        w=repr(float(v))+", "
        if len(line)+len(w)>135:
            print(line.rstrip()); line="\t\t"
        line+=w
    print(line.rstrip(", ")+"},")
print("}")
