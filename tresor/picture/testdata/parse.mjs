// Reads one JSON object a line, {"dot", "mermaid"}, and answers each with one:
// the SVG that Graphviz makes of the first, the nodes, groups and edges that
// Mermaid reads in the second. The libraries lie in the folder given as argument.
import {createRequire} from 'node:module';
import {createInterface} from 'node:readline';
import {pathToFileURL} from 'node:url';

const require = createRequire(process.argv[2] + '/');
const load = (name, file) => import(pathToFileURL(require.resolve(name).replace(/node_modules\/.*/, `node_modules/${name}/${file}`)));

const {JSDOM} = require('jsdom');
const {window} = new JSDOM('');
globalThis.window = window;
globalThis.document = window.document;
const {Graphviz} = await load('@hpcc-js/wasm-graphviz', 'dist/index.js');
const {default: mermaid} = await load('mermaid', 'dist/mermaid.core.mjs');
mermaid.initialize({startOnLoad: false});

for await (const line of createInterface({input: process.stdin})) {
  const {dot, mermaid: source} = JSON.parse(line);
  const answer = {};
  try {
    answer.svg = (await Graphviz.load()).layout(dot, 'svg', 'dot');
    Graphviz.unload(); // one that has made some images fails at random
    const {db} = await mermaid.mermaidAPI.getDiagramFromText(source);
    answer.nodes = [...db.getVertices().values()].map(v => v.text);
    answer.groups = db.getSubGraphs().map(g => g.title);
    answer.edges = db.getEdges().map(e => [e.start, e.end, e.text]);
  } catch (e) {
    answer.error = String(e);
  }
  console.log(JSON.stringify(answer));
}
