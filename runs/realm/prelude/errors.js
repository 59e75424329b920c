// Errors: stack frames that read workflow.js:LINE, and what lazy parts make of errors.
let capture = null; // while not null, prepareStackTrace only notes the script's line in it

function prepareStackTrace(error, sites) {
  let text = "";
  for (let i = 0; i < sites.length; i++) {
    const line = sites[i].getLineNumber();
    if (typeof line !== "number" || line <= LINE_OFFSET) continue;
    if (capture) {
      capture.line = line - LINE_OFFSET;
      return "";
    }
    const where = "workflow.js:" + (line - LINE_OFFSET) + ":" + sites[i].getColumnNumber();
    const name = sites[i].getFunctionName();
    text += "    at " + (name && name !== "<eval>" ? name + " (" + where + ")" : where) + "\n";
  }
  return text;
}
Error.prepareStackTrace = prepareStackTrace;
fix(Error, "prepareStackTrace", undefined);
fix(Error, "stackTraceLimit", 10);

// The line of the script that is calling into the prelude, 0 where there is none.
function callerLine() {
  const mark = capture = { __proto__: null, line: 0 };
  new ErrorOf();
  capture = null;
  return mark.line;
}


function invalid(message) {
  return part("failure").invalid(message);
}
function readable(value) {
  return part("readable").readable(value);
}
