import type { Document } from './document.ts'
import { addErrorResponses } from './error-responses.ts'
import { addExamples } from './examples.ts'
import { addHeaders } from './headers.ts'
import { nameSchemas } from './name-schemas.ts'

/** Completes the OpenAPI document of the routes with names, headers, errors and examples. */
export function completeDocument(routes: object): object {
  const document = JSON.parse(JSON.stringify(routes)) as Document
  return addExamples(addErrorResponses(addHeaders(nameSchemas(document))))
}
