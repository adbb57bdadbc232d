import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { files, read, root } from './repository.ts'

const pages = files.filter((file) => file.endsWith('.md'))
const named: Record<string, string> = { drill: 'e2e/drills', bench: 'bench', screens: 'e2e/screens' }

function scriptsOf(workspace = '.'): Record<string, string> {
  return (JSON.parse(read(join(workspace, 'package.json'))) as { scripts: Record<string, string> }).scripts
}

/** The anchors that GitHub derives from headings. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function deadLinks(page: string, text: string): string[] {
  const prose = text.replaceAll(/```[\s\S]*?```/g, '').replaceAll(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    if (/^(https?|mailto):/.test(link)) return []
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? join(root, page) : join(root, dirname(page), path)
    if (!existsSync(target)) return [`${page}: ${link}`]
    const isMissing = anchor !== undefined && !anchorsOf(readFileSync(target, 'utf8')).includes(anchor)
    return isMissing ? [`${page}: ${link}`] : []
  })
}

function deadCommands(page: string, text: string): string[] {
  const commands = [...text.matchAll(/\bnpm (?:run )?([a-z][a-z0-9:-]*)(?: -w ([a-z]+))?(?: -- ([a-z][a-z-]*))?/g)]
  return commands.flatMap(([command, script = '', workspace, name]) => {
    const isOurs = script === 'test' || command.startsWith('npm run ')
    if (!isOurs) return []
    const folder = named[script]
    const isKnown = Object.hasOwn(scriptsOf(workspace), script)
    const isThere = folder === undefined || name === undefined || existsSync(join(root, folder, `${name}.ts`))
    return isKnown && isThere ? [] : [`${page}: ${command}`]
  })
}

/** Paths in backticks, from the root of the repository, that do not exist. */
function deadFiles(page: string, text: string): string[] {
  const paths = [...text.matchAll(/`((?:server|web|e2e|bench|tools|docs|cli|contracts)\/[\w./-]+\.\w+)`/g)]
  return paths.flatMap(([, path = '']) => (existsSync(join(root, path)) ? [] : [`${page}: ${path}`]))
}

test('every link, command and file that a page names exists', () => {
  const isHistory = (page: string): boolean => page === 'CHANGELOG.md'
  const faults = pages
    .filter((page) => !isHistory(page))
    .flatMap((page) => [deadLinks, deadCommands, deadFiles].flatMap((find) => find(page, read(page))))
  expect(faults).toEqual([])
})

test('a dead link, anchor, command and file are found', () => {
  expect(deadLinks('README.md', '[a](docs/none.md) [b](#none) [c](docs/README.md)')).toHaveLength(2)
  expect(deadCommands('README.md', '`npm run none`, `npm run drill -- none`, `npm run drill -- ledger short`')).toEqual(
    ['README.md: npm run none', 'README.md: npm run drill -- none'],
  )
  expect(deadFiles('README.md', '`server/src/none.ts` and `server/src/main.ts`')).toHaveLength(1)
})

test('ARCHITECTURE.md has at most 150 lines', () => {
  expect(read('ARCHITECTURE.md').split('\n').length).toBeLessThanOrEqual(151)
})
