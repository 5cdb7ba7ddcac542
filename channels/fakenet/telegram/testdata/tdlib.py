"""Answers JSON lines {"text": ...} with what TDLib's HTML parse mode makes of them.

TDJSON names libtdjson.so. Only synchronous requests: no account, no network."""
import ctypes
import json
import os
import sys

td = ctypes.CDLL(os.environ["TDJSON"])
td.td_execute.restype = ctypes.c_char_p
td.td_execute.argtypes = [ctypes.c_char_p]


def execute(query):
    return json.loads(td.td_execute(json.dumps(query).encode()).decode("utf-8", "replace"))


execute({"@type": "setLogVerbosityLevel", "new_verbosity_level": 0})
for line in sys.stdin:
    r = execute({"@type": "parseTextEntities", "text": json.loads(line)["text"],
                 "parse_mode": {"@type": "textParseModeHTML"}})
    if r["@type"] == "error":
        out = {"error": r["message"]}
    else:
        out = {"text": r["text"], "entities": [
            dict(e["type"], offset=e["offset"], length=e["length"]) for e in r["entities"]]}
    print(json.dumps(out), flush=True)
