import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import '../ui/page-frame.css'
import { PageMark } from '../ui/page-frame.tsx'
import type { Site } from '../ui/site.ts'
import { TestBadge, TestLine } from '../ui/test-mode.tsx'
import './docs.css'
import { type ApiDocument, listSections, type Operation, type Section } from './openapi.ts'
import { type Keys, OperationView, type SetOpened } from './operation-view.tsx'
import { keyPlaceholder } from './sample.ts'

type DocsPageProps = { readonly site: Site; readonly api: ApiDocument | null }

/** The API reference. It is in English, as the OpenAPI document is. */
export function DocsPage({ site, api }: DocsPageProps): ReactNode {
  return (
    <div className="page">
      {site.demo !== null && <TestLine />}
      <header className="page-head docs-head">
        <p className="page-name">
          <PageMark />
          Scrip API
        </p>
        {site.demo !== null && <TestBadge />}
        <nav className="docs-links" aria-label="Pages">
          <a href="/">Start page</a>
          <a href="/docs/errors">Errors</a>
          <a href="/docs/openapi.json">OpenAPI document</a>
        </nav>
      </header>
      {api === null ? (
        <main className="page-main">
          <Notice kind="error">The API reference could not be loaded. Reload the page.</Notice>
        </main>
      ) : (
        <Reference api={api} demoKey={site.demo?.publicKey ?? ''} />
      )}
    </div>
  )
}

function Reference({ api, demoKey }: { readonly api: ApiDocument; readonly demoKey: string }) {
  const sections = useMemo(() => listSections(api), [api])
  const [keys, setKeys] = useState<Keys>({ publicKey: demoKey, secretKey: '' })
  const [search, setSearch] = useState('')
  const [opened, setOpened] = useOpened()
  const shown = sections
    .map((section) => ({ ...section, operations: section.operations.filter((one) => matches(one, search)) }))
    .filter(({ operations }) => operations.length > 0)
  return (
    <div className="docs-columns">
      <nav className="docs-nav" aria-label="Endpoints">
        <Field
          label="Search endpoints"
          type="search"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
        <ul>
          {shown.map(({ id, name, operations }) => (
            <li key={id}>
              <a href={`#${id}`}>
                {name} <span className="docs-soft">{operations.length}</span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main className="docs-main">
        <div className="docs-part">
          <h1 className="page-heading">API reference</h1>
          <p>{api.info.description}</p>
        </div>
        <KeyFields keys={keys} isDemo={demoKey !== ''} onChange={setKeys} />
        {shown.length === 0 && <p role="status">No endpoint matches “{search}”.</p>}
        {shown.map((section) => (
          <SectionView key={section.id} section={section} keys={keys} opened={opened} onOpened={setOpened} />
        ))}
      </main>
    </div>
  )
}

function matches({ path, summary, description }: Operation, search: string): boolean {
  return `${path} ${summary} ${description}`.toLowerCase().includes(search.trim().toLowerCase())
}

/** The open endpoints. The fragment of the address opens one, so that a link can lead to it. */
function useOpened(): readonly [ReadonlySet<string>, SetOpened] {
  const [opened, setOpened] = useState<ReadonlySet<string>>(() => new Set([location.hash.slice(1)]))
  useEffect(() => {
    const follow = () => {
      const id = location.hash.slice(1)
      setOpened((before) => new Set([...before, id]))
      document.getElementById(id)?.scrollIntoView()
    }
    follow()
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const change: SetOpened = useCallback(
    (id, isOpen) =>
      setOpened((before) => new Set([...[...before].filter((one) => one !== id), ...(isOpen ? [id] : [])])),
    [],
  )
  return [opened, change]
}

type KeyFieldsProps = {
  readonly keys: Keys
  readonly isDemo: boolean
  readonly onChange: (keys: Keys) => void
}

/** Both keys stay in this page: nothing stores them, and a reload forgets them. */
function KeyFields({ keys, isDemo, onChange }: KeyFieldsProps) {
  return (
    <section className="docs-keys" aria-label="Your keys">
      <Field
        label="Public key"
        hint={isDemo ? 'The key of the demo shop. Samples use it.' : 'Samples use it.'}
        placeholder={keyPlaceholder}
        value={keys.publicKey}
        onChange={({ target }) => onChange({ ...keys, publicKey: target.value.trim() })}
        autoComplete="off"
        spellCheck={false}
      />
      <Field
        label="Secret key"
        hint="Only for requests that you send from here. The page forgets it when you leave. Never enter a live key."
        value={keys.secretKey}
        onChange={({ target }) => onChange({ ...keys, secretKey: target.value.trim() })}
        type="password"
        autoComplete="off"
        spellCheck={false}
      />
    </section>
  )
}

type SectionViewProps = {
  readonly section: Section
  readonly keys: Keys
  readonly opened: ReadonlySet<string>
  readonly onOpened: SetOpened
}

function SectionView({ section, keys, opened, onOpened }: SectionViewProps) {
  const { id, name, description, operations } = section
  return (
    <section className="docs-section" id={id}>
      <h2>{name}</h2>
      <p className="docs-soft">{description}</p>
      {operations.map((operation) => (
        <OperationView
          key={operation.id}
          operation={operation}
          keys={keys}
          isOpen={opened.has(operation.id)}
          onOpened={onOpened}
        />
      ))}
    </section>
  )
}
