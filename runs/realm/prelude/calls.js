// Calls of tools.

// ctx.call(tool, input, {description, timeoutMs, retry: {maxAttempts, backoffMs, maxBackoffMs}}); only tool and input are
// part of the key.
function call(tool, input, options) {
  let text, more;
  try {
    if (typeof tool !== "string" || tool === "") throw part("options").noTool(tool);
    text = encodeWithin(input, "the input of ctx.call('" + cut(tool, 100) + "')");
    more = options === undefined || options === null ? "null" : part("options").callOptions(options);
  } catch (error) {
    return rejected(error, "ctx.call", callerLine());
  }
  const name = stringify(cut(tool, 200));
  return issue("tool", "tool|" + name + "|" + text, name + "," + text + "," + more, "ctx.call");
}
