import type { ReactNode } from 'react'

const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g

/** Indents JSON without parsing it: numbers keep their digits, and a body that was cut is shown as far as it goes. */
function indentJson(text: string): string {
  let depth = 0
  let last = ''
  const parts: string[] = []
  const breakLine = (): void => void parts.push(`\n${'  '.repeat(depth)}`)
  for (const [found] of text.matchAll(token)) {
    const isClosing = found === '}' || found === ']'
    if (isClosing) depth = Math.max(0, depth - 1)
    const isEmpty = isClosing && (last === '{' || last === '[')
    if (last === ',' || ((last === '{' || last === '[') && !isEmpty) || (isClosing && !isEmpty)) breakLine()
    parts.push(found === ':' ? ': ' : found)
    if (found === '{' || found === '[') depth++
    last = found
  }
  return parts.join('')
}

type JsonBlockProps = { readonly label: string; readonly text: string }

/** JSON as text. It scrolls, so it takes the focus. */
export function JsonBlock({ label, text }: JsonBlockProps): ReactNode {
  return (
    <pre className="code-block" role="region" aria-label={label} tabIndex={0}>
      {indentJson(text)}
    </pre>
  )
}
