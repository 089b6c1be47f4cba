"""Renders chat templates with transformers: a JSON list of {"template", "vars"} on standard input.

Prints a JSON list of {"text"} or {"error"}. The time that strftime_now shows is fixed.
"""

import datetime
import json
import sys

from transformers.utils import chat_template_utils

NOW = datetime.datetime(2026, 3, 4, 5, 6, 7)

out = []
for case in json.load(sys.stdin):
    try:
        t = chat_template_utils._compile_jinja_template(case["template"])
        t.globals["strftime_now"] = lambda f: NOW.strftime(f)
        out.append({"text": t.render(**case["vars"])})
    except Exception as e:  # a template may raise anything
        out.append({"error": f"{type(e).__name__}: {e}"})
json.dump(out, sys.stdout)
