"""Measures a server of language models under load, next to llama.cpp's llama-server on the same machine.

    go build ./cmd/lucid
    python3 scripts/serve_bench/run.py MODEL.gguf --lucid ./lucid [--peer LLAMA-SERVER] [--clients 1,8,32] [--only load|prefix|idle|over]

Both servers are started with two threads and the same number of texts at a time. Runs are interleaved: each load goes to one server,
then to the other, as often as --rounds says. Nothing but Python's own library is needed. Each line of the output is one figure as JSON.
Processor time of the server by token is given too: where other programs run, it says more than the time that passes. Set
OMP_WAIT_POLICY=passive there, else threads of the peer that wait for each other take the time of those that work.

load:   each client sends requests one behind the other: prompts that differ, some 64 tokens, 48 tokens to generate. Tokens a second of
        all clients, and the median and the 99th percentile of the time to the first token and between two tokens.
prefix: 16 requests share a beginning of about 1,000 tokens: one, then another one alone, then 14 at once. Time to the first token of
        the second, and of all 16 requests together.
idle:   processor time and memory of a server that has nothing to do (lucid alone).
over:   ten times as many clients as fit: time of the answers 429, and of those that were taken (lucid alone).
"""

import argparse
import asyncio
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import time
import urllib.request

WORDS = ("river stone cloud paper window garden silver morning engine letter bridge winter market forest candle mirror pocket "
         "harbor yellow simple quiet narrow distant copper velvet method number square future island").split()


def text(seed, words):
    """A list of words that differs from seed to seed."""
    out, x = [], seed * 2654435761 % 2**32
    for _ in range(words):
        x = (x * 1664525 + 1013904223) % 2**32
        out.append(WORDS[(x >> 16) % len(WORDS)])
    return " ".join(out)


class Server:
    def __init__(self, name, port, command):
        self.name, self.port = name, port
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def wait(self):
        for _ in range(300):
            try:
                if urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=1).status == 200:
                    return
            except OSError:
                pass
            if self.process.poll() is not None:
                sys.exit(f"{self.name} ended with {self.process.returncode}")
            time.sleep(0.1)
        sys.exit(f"{self.name} does not answer")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def used(self):
        """Processor time in seconds."""
        f = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(f[11]) + int(f[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """Resident memory in MB: of all, and of pages that belong to no file."""
        s = dict(l.split(":", 1) for l in open(f"/proc/{self.process.pid}/status").read().splitlines())
        return [round(int(s[k].split()[0]) / 1000, 1) for k in ("VmRSS", "RssAnon")]


async def ask(server, prompt, tokens):
    """Sends one request. Returns the status, when it was sent, when each event came, and the time of the end."""
    body = json.dumps({"model": "m", "prompt": prompt, "max_tokens": tokens, "temperature": 0, "stream": True, "ignore_eos": True}).encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    begun = time.perf_counter()
    writer.write(b"POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nConnection: close\r\n"
                 b"Content-Length: %d\r\n\r\n" % len(body) + body)
    line = await reader.readline()
    status, times = int(line.split()[1]), []
    while line := await reader.readline():
        if line.startswith(b"data: {") and b'"text"' in line:
            times.append(time.perf_counter())
    end = time.perf_counter()
    writer.close()
    return status, begun, times, end


def percentile(values, p):
    return sorted(values)[min(len(values) - 1, int(len(values) * p))]


def report(first, gaps):
    ms = lambda s: round(1000 * s, 1)
    return {"first_p50_ms": ms(statistics.median(first)), "first_p99_ms": ms(percentile(first, 0.99)),
            "between_p50_ms": ms(statistics.median(gaps)), "between_p99_ms": ms(percentile(gaps, 0.99))}


seeds = iter(range(1, 10**9))


async def load(server, clients, each, tokens, words):
    first, gaps, count = [], [], 0

    async def client():
        nonlocal count
        for _ in range(each):
            status, begun, times, _ = await ask(server, text(next(seeds), words), tokens)
            if status != 200:
                raise RuntimeError(f"{server.name}: status {status}")
            count += len(times)
            first.append(times[0] - begun)
            gaps.extend(b - a for a, b in zip(times, times[1:]))

    begun, used = time.perf_counter(), server.used()
    await asyncio.gather(*(client() for _ in range(clients)))
    took, used = time.perf_counter() - begun, server.used() - used
    return {"clients": clients, "tokens_s": round(count / took, 1), "cpu_ms_token": round(1000 * used / count, 1)} | report(first, gaps)


async def prefix(server, requests, tokens):
    start = text(next(seeds), 950)
    begun = time.perf_counter()
    one = await ask(server, start + " first", tokens)
    two = await ask(server, start + " second", tokens)
    rest = await asyncio.gather(*(ask(server, f"{start} number {WORDS[i]}", tokens) for i in range(requests - 2)))
    took = time.perf_counter() - begun
    ms = lambda a: round(1000 * (a[2][0] - a[1]), 1)
    return {"first_request_ms": ms(one), "second_request_ms": ms(two), "seconds": round(took, 2),
            "rest_first_p50_ms": statistics.median(ms(a) for a in rest)}


async def over(server, fit, tokens, seconds):
    """As many clients as fit, then ten times as many."""
    async def run(clients):
        taken, refused, end = [], [], time.perf_counter() + seconds

        async def client():
            await asyncio.sleep(random.random())  # not all at once: the client would measure itself
            while time.perf_counter() < end:
                status, begun, _, done = await ask(server, text(next(seeds), 24), tokens)
                (taken if status == 200 else refused).append(done - begun)
                if status != 200:
                    await asyncio.sleep(random.uniform(0.5, 1.5))
        await asyncio.gather(*(client() for _ in range(clients)))
        return taken, refused

    ms = lambda l, p: round(1000 * percentile(l, p), 1) if l else None
    fits, _ = await run(fit)
    taken, refused = await run(10 * fit)
    return {"fit_p99_ms": ms(fits, 0.99), "taken": len(taken), "taken_p99_ms": ms(taken, 0.99), "refused": len(refused),
            "refused_p50_ms": ms(refused, 0.5), "refused_p99_ms": ms(refused, 0.99), "refused_most_ms": ms(refused, 1)}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("model")
    p.add_argument("--lucid", required=True)
    p.add_argument("--peer", help="llama-server; without it lucid is measured alone")
    p.add_argument("--clients", default="1,8,32")
    p.add_argument("--rounds", type=int, default=2)
    p.add_argument("--tokens", type=int, default=48)
    p.add_argument("--words", type=int, default=60, help="of a prompt")
    p.add_argument("--only", choices=["load", "prefix", "idle", "over"])
    p.add_argument("--threads", default="2")
    p.add_argument("--flags", default="", help="more flags of lucid serve")
    a = p.parse_args()
    clients = [int(c) for c in a.clients.split(",")]
    most, port = max(clients), 18080
    sequences, queue = (8, 8) if a.only == "over" else (most, 256)
    os.environ["GOMAXPROCS"] = a.threads
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    servers = [Server("lucid", port, [a.lucid, "serve", "m=" + a.model, "--port", str(port), "--sequences", str(sequences), "--queue",
        str(queue), "--cache-mb", "4096", "--log", "none", *a.flags.split()])]
    if a.peer and a.only not in ("idle", "over"):
        servers.append(Server("llama-server", port + 1, [a.peer, "-m", a.model, "--port", str(port + 1), "-t", a.threads, "-tb", a.threads,
            "-np", str(most), "-c", str(most * (512 if a.only == "load" else 2048)), "-a", "m", "--no-webui"]))

    def show(server, what, figures):
        print(json.dumps({"server": server.name, "what": what} | figures), flush=True)

    try:
        for s in servers:
            s.wait()
        if a.only == "idle":
            time.sleep(1)
            fresh, used = servers[0].memory(), servers[0].used()
            time.sleep(10)
            show(servers[0], "idle", {"rss_anon_mb": fresh, "cpu_percent": round(10 * (servers[0].used() - used), 2)})
        for s in servers:  # weights are packed when they are first used
            asyncio.run(load(s, 1, 1, 8, 20))
            asyncio.run(load(s, sequences, 1, 4, 20))
        if a.only == "idle":
            time.sleep(1)
            used = servers[0].used()
            time.sleep(10)
            show(servers[0], "idle after requests",
                 {"rss_anon_mb": servers[0].memory(), "cpu_percent": round(10 * (servers[0].used() - used), 2)})
        for _ in range(a.rounds):
            for c in clients if a.only in (None, "load") else ():
                for s in servers:
                    show(s, "load", asyncio.run(load(s, c, 3 if c == 1 else 2 if c <= 8 else 1, a.tokens, a.words)))
            if a.only in (None, "prefix"):
                for s in servers:
                    show(s, "prefix", asyncio.run(prefix(s, 16, 24)))
            if a.only == "over":
                show(servers[0], "over", asyncio.run(over(servers[0], 16, 24, 12)))
    finally:
        for s in servers:
            s.stop()


main()
