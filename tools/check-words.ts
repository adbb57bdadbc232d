// Checks what people read (screens, emails, error messages, the API reference, README and docs) for retired words.
import ts from 'typescript'
import { files, read } from './repository.ts'
import { allowedUses, retiredWords } from './retired-words.ts'

type Passage = { readonly line: number; readonly text: string }
type Kind = 'screens' | 'French screens' | 'prose'

/** Every retired word in a file, as lines for a person to read. */
export function findRetiredWords(file: string, source: string): string[] {
  const kind = kindOf(file)
  if (kind === undefined) return []
  const words = retiredWords.filter((word) => wordAppliesTo(word.in, kind))
  const faults = passagesOf(file, source).flatMap(({ line, text }) =>
    words
      .filter(({ pattern }) => pattern.test(text) && !isAllowed(file, text))
      .map(
        ({ pattern, use }) => `${file}:${line}: "${pattern.exec(text)?.[0] ?? ''}" (use: ${use}) in: ${text.trim()}`,
      ),
  )
  return [...new Set(faults)]
}

/** A catalogue in French has its own words. Other screens, such as emails, can have both languages. */
function wordAppliesTo(scope: (typeof retiredWords)[number]['in'], kind: Kind): boolean {
  if (kind === 'French screens') return scope === 'French screens'
  return scope === 'all' || kind === 'screens'
}

function kindOf(file: string): Kind | undefined {
  if (file.includes('.test.') || file.includes('.gen.')) return undefined
  if (/^web\/.*\/words(?:-fr|\/fr)[\w-]*\.ts$/.test(file)) return 'French screens'
  if (/^web\/.*\.(ts|tsx|html|webmanifest)$/.test(file)) return 'screens'
  if (/^server\/src\/(.*\/errors|mail\/words|print\/[\w-]+)\.ts$/.test(file)) return 'screens'
  if (file === 'docs/reference/openapi.json') return 'screens'
  if (file.endsWith('.md')) return 'prose'
  return undefined
}

function passagesOf(file: string, source: string): Passage[] {
  if (file.endsWith('.md')) return readMarkdown(source)
  if (file.endsWith('.json')) return readSummaries(source)
  if (/\.tsx?$/.test(file)) return readLiterals(file, source)
  return source.split('\n').map((text, index) => ({ line: index + 1, text }))
}

/** The prose of a page: no code, no addresses. */
function readMarkdown(source: string): Passage[] {
  let isCode = false
  return source.split('\n').flatMap((text, index) => {
    if (/^\s*```/.test(text)) {
      isCode = !isCode
      return []
    }
    if (isCode) return []
    const prose = text
      .replaceAll(/`[^`]*`/g, '')
      .replaceAll(/\]\([^)]*\)/g, ']')
      .replaceAll(/<[^>]*>/g, '')
    return [{ line: index + 1, text: prose }]
  })
}

/** Summaries, descriptions and titles of the API reference. */
function readSummaries(source: string): Passage[] {
  return source.split('\n').flatMap((line, index) => {
    const [, text] = /"(?:summary|description|title)": "(.*)"/.exec(line) ?? []
    return text === undefined ? [] : [{ line: index + 1, text: text.replaceAll(/`[^`]*`/g, '') }]
  })
}

/** Strings that can be shown: literals and texts between tags, but not names of modules, types or properties. */
function readLiterals(file: string, source: string): Passage[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const passages: Passage[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isLiteralTypeNode(node)) return
    if (
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node) ||
      ts.isJsxText(node)
    ) {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart())
      if (isSentence(node.text)) passages.push({ line: line + 1, text: node.text })
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return passages
}

/** A word that starts with a capital, or several words. The rest are keys, class names and states. */
function isSentence(text: string): boolean {
  return /^[A-ZÀ-Ý]/.test(text) ? !/^[A-Z_]+$/.test(text) : / /.test(text.trim())
}

function isAllowed(file: string, text: string): boolean {
  return allowedUses.some((allowed) => allowed.file.test(file) && text.includes(allowed.text))
}

if (import.meta.main) {
  const faults = files.flatMap((file) => (kindOf(file) === undefined ? [] : findRetiredWords(file, read(file))))
  for (const fault of faults) console.error(fault)
  console.log(`check:words ${faults.length === 0 ? 'found no retired word' : `found ${faults.length} retired words`}`)
  if (faults.length > 0) process.exitCode = 1
}
