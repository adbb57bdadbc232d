/** A JSON Schema as the OpenAPI document has it. */
export type Schema = {
  $ref?: string
  title?: string
  description?: string
  type?: string
  format?: string
  pattern?: string
  const?: unknown
  enum?: unknown[]
  default?: unknown
  minimum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  allOf?: Schema[]
  additionalProperties?: boolean
  'x-limits'?: Schema
}

type Content = Record<string, { schema: Schema; example?: unknown; examples?: Record<string, object> }>

export type Response = {
  $ref?: string
  description?: string
  headers?: Record<string, { $ref: string }>
  content?: Content
}

export type Parameter =
  | { $ref: string }
  | { name: string; in: 'path' | 'query' | 'header'; required?: boolean; schema: Schema; example?: unknown }

export type Operation = {
  operationId: string
  tags?: string[]
  security?: Record<string, readonly string[]>[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, Response>
}

type Components = {
  schemas: Record<string, Schema>
  responses: Record<string, Response>
  parameters: Record<string, object>
  headers: Record<string, object>
  examples: Record<string, object>
  securitySchemes: Record<string, object>
}

/** The parts of the OpenAPI document that are completed after the routes are known. */
export type Document = {
  components: Components
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, Record<string, Operation>>
}

/** Every operation of the merchant API with its method. */
export function operationsOf({
  paths,
}: Pick<Document, 'paths'>): { method: string; path: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
}

/** RedeemVoucher for redeem-voucher, VOUCHER_REDEEMED or voucher.redeemed. */
export function pascalCase(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
    .join('')
}
