"""The tool `http.request`, and what keeps it away from the machines behind the platform.

request     the tool: what a script gives and gets
exchange    one call: request, redirects, response
addresses   which addresses are refused, and which hosts a setting allows
backend     the connection: resolve once, check every address, connect to one that was checked
deadline    one limit for everything that a call does on the network
body        reading a response within its limit
"""

from runs.tools.http import request  # noqa: F401  (registers the tool)
