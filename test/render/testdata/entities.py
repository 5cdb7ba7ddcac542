"""Telegram's own entity parser (TDLib, static requests only: no account, no
network). Reads JSON lines, each a list of texts in HTML mode; answers each with
a list of {"error"} or {"text","entities"}. Usage: entities.py libtdjson.so"""
import ctypes
import json
import sys

library = ctypes.CDLL(sys.argv[1])
library.td_execute.restype = ctypes.c_char_p
library.td_execute.argtypes = [ctypes.c_char_p]


def execute(request):
    return json.loads(library.td_execute(json.dumps(request).encode()).decode())


def parse(text):
    answer = execute({"@type": "parseTextEntities", "text": text, "parse_mode": {"@type": "textParseModeHTML"}})
    if answer["@type"] == "error":
        return {"error": answer["message"]}
    entities = []
    for e in answer["entities"]:
        kind = e["type"]
        entities.append({
            "type": kind["@type"].removeprefix("textEntityType"),
            "offset": e["offset"],
            "length": e["length"],
            "arg": kind.get("language", kind.get("url", "")),
        })
    return {"text": answer["text"], "entities": entities}


execute({"@type": "setLogVerbosityLevel", "new_verbosity_level": 0})
for line in sys.stdin:
    print(json.dumps([parse(text) for text in json.loads(line)]), flush=True)
