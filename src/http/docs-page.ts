// Addresses are relative, so that the page also works behind a proxy that serves it under a path of its own.

/** The reference page; all that it loads comes from this server. */
export const DOCS_PAGE = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Signalbook: the contract</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <noscript>This page needs JavaScript. The contract itself is at <a href="v1/openapi.yaml">/v1/openapi.yaml</a>.</noscript>
    <div id="reference"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script type="module" src="docs/start.js"></script>
  </body>
</html>
`

/** Shows the published document; "Try it out" calls the server that the page came from, whatever address the document names. */
export const DOCS_SCRIPT = `const address = new URL('.', document.baseURI).href
const answer = await fetch(new URL('v1/openapi.json', address))
SwaggerUIBundle({
  spec: { ...(await answer.json()), servers: [{ url: address.replace(/\\/$/, '') }] },
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
})
`
