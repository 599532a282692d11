#!/usr/bin/env python3
"""Asks `sqasp evaluate` about the start of a game: docs/examples/evaluate.py SQASP GAME DEPTH"""
import json
import subprocess
import sys

program, game, depth = sys.argv[1:]
evaluator = subprocess.Popen([program, "evaluate", game, "--quiet"], text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
greeting = json.loads(evaluator.stdout.readline())
assert (greeting["protocol"], greeting["version"]) == ("sqasp-evaluate", 1), greeting
for role in greeting["roles"]:
    if role != "random":
        request = {"id": role, "history": [], "role": role, "depth": int(depth), "time": 60}
        print(json.dumps(request), file=evaluator.stdin, flush=True)
        reply = json.loads(evaluator.stdout.readline())
        if reply["status"] == "error":
            sys.exit(f"{reply['code']}: {reply['message']}")
        print(f"{role}: {reply['lower']['num']}/{reply['lower']['den']}, best {reply.get('best')}")
evaluator.stdin.close()  # the end of its input is the end of the evaluator
sys.exit(evaluator.wait())
