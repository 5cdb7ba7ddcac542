// Reads parts of Mattermost and Discord with parsers of other people: lines {"network", "text"} on standard input;
// for each it prints {"text", "links": [{"Offset", "Length", "Arg"}], "acts": [what would act in the chat]}.
// NODE_PATH names the folder of the parsers.
"use strict";
const commonmark = require("@mattermost/commonmark");
const discord = require("discord-markdown-parser");

function reader() {
  const out = { text: "", links: [], acts: [] };
  return {
    out,
    write(s) { out.text += s; },
    line() { if (out.text !== "" && !out.text.endsWith("\n")) out.text += "\n"; },
    link(from, url) { out.links.push({ Type: "a", Offset: from, Length: out.text.length - from, Arg: url }); },
  };
}

// The parser of Mattermost's mobile client.
function mattermost(text) {
  const r = reader();
  const starts = [];
  const walker = new commonmark.Parser().parse(text).walker();
  for (let event = walker.next(); event; event = walker.next()) {
    const { node, entering } = event;
    switch (node.type) {
      case "text": case "code": r.write(node.literal); break;
      case "code_block": r.write(node.literal); if (!node._isFenced) r.out.acts.push("code that is set in"); break;
      case "softbreak": case "linebreak": r.write("\n"); break;
      case "thematic_break": r.write("***\n"); break;
      case "link":
        if (entering) starts.push(r.out.text.length); else r.link(starts.pop(), node.destination);
        break;
      case "item":
        if (!entering) { r.line(); break; }
        if (node.listType === "bullet") { r.write("- "); break; }
        let n = node.parent.listStart;
        for (let before = node.prev; before; before = before.prev) n++;
        r.write(n + ". ");
        break;
      case "paragraph": case "heading": if (!entering) r.line(); break;
      case "table_cell": if (entering) r.write("|"); break;
      case "table_row":
        if (entering) break;
        r.write("|\n");
        if (!node.prev) { for (let cell = node.firstChild; cell; cell = cell.next) r.write("|---"); r.write("|\n"); }
        break;
      case "document": case "list": case "block_quote": case "emph": case "strong": case "del": case "table": break;
      default: if (entering) r.out.acts.push(node.type);
    }
  }
  return r.out;
}

// A parser of what Discord's client shows.
function discordMarkdown(text) {
  const r = reader();
  const visit = (node) => {
    switch (node.type) {
      case "text": case "inlineCode": r.write(node.content); return;
      case "twemoji": r.write(node.name); return; // an emoji that was written as such
      case "codeBlock": r.line(); r.write(node.content + "\n"); return;
      case "br": case "newline": r.write("\n"); return;
      case "autolink": case "url": case "link": {
        const from = r.out.text.length;
        node.content.forEach(visit);
        r.link(from, node.target);
        if (node.type === "url") r.out.acts.push("an address with a preview");
        return;
      }
      case "heading": node.content.forEach(visit); r.line(); return;
      case "strong": case "em": case "strikethrough": case "blockQuote": node.content.forEach(visit); return;
      default: r.out.acts.push(node.type);
    }
  };
  discord.parse(text, "extended").forEach(visit);
  return r.out;
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { network, text } = JSON.parse(line);
  console.log(JSON.stringify(network === "discord" ? discordMarkdown(text) : mattermost(text)));
});
