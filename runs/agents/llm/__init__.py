"""The agent `llm`: asks a language model behind a server of the OpenAI chat protocol.

agent     what a script gives and gets
question  what the model is asked
answer    what it has answered: a text, a value that fits the schema, or what is wrong with it
server    which model, and where
wire      one request over HTTP, and which failures may pass
"""

from runs.agents.llm import agent  # noqa: F401  (importing it registers the agent)
