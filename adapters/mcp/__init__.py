"""edge as an MCP server over standard input and output, on the official SDK.

What its tools do stands behind :class:`adapters.mcp.tools.Desk`; none of them speaks as the operator.
"""
