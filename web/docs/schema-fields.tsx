import type { ReactNode } from 'react'
import { fieldsOf, limitsOf, type Parameter, type Schema, typeOf } from './openapi.ts'

/** The fields of an object, with the fields of its objects below them. */
export function SchemaFields({ schema }: { readonly schema: Schema }): ReactNode {
  return (
    <ul className="docs-fields">
      {fieldsOf(schema).map(({ name, schema: field, isRequired }) => (
        <FieldRow key={name} name={name} schema={field} note={isRequired ? 'required' : ''} />
      ))}
    </ul>
  )
}

export function ParameterFields({ parameters }: { readonly parameters: readonly Parameter[] }): ReactNode {
  return (
    <ul className="docs-fields">
      {parameters.map(({ name, in: place, required, description, schema }) => (
        <FieldRow
          key={name}
          name={name}
          schema={{ ...schema, ...(description !== undefined && { description }) }}
          // The document marks a parameter with a default as required, but a request may leave it out.
          note={required === true && schema.default === undefined ? `in the ${place}, required` : `in the ${place}`}
        />
      ))}
    </ul>
  )
}

type FieldRowProps = { readonly name: string; readonly schema: Schema; readonly note: string }

function FieldRow({ name, schema, note }: FieldRowProps) {
  const nested = nestedOf(schema)
  const limits = limitsOf(schema)
  return (
    <li className="docs-field">
      <p>
        <code className="docs-field-name">{name}</code>{' '}
        <span className="docs-soft">{[typeOf(schema), note].filter((text) => text !== '').join(', ')}</span>
      </p>
      {schema.description !== undefined && <p>{schema.description}</p>}
      {limits !== '' && <p className="docs-soft">{limits}</p>}
      {nested !== undefined && <SchemaFields schema={nested} />}
    </li>
  )
}

/** The object inside a field: itself, an item of a list, or an alternative. */
function nestedOf(schema: Schema): Schema | undefined {
  if (fieldsOf(schema).length > 0) return schema
  if (schema.items !== undefined) return nestedOf(schema.items)
  return schema.anyOf?.map(nestedOf).find((found) => found !== undefined)
}
