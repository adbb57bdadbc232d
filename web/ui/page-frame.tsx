import { type ReactNode, useEffect, useRef } from 'react'
import { chooseLanguage, type Language, readLanguage } from './locale.ts'
import './page-frame.css'
import { TestBadge, TestLine } from './test-mode.tsx'
import { uiWords } from './words.ts'

type PageFrameProps = {
  /** In the header of every page of the app, after the mark of the platform. */
  readonly name: string
  /** The name and the logo of a shop, in place of both. */
  readonly shop?: ReactNode
  readonly isTest: boolean
  /** Announced by screen readers when the page changes. */
  readonly status: string
  readonly wayBack?: ReactNode
  readonly footer?: readonly string[]
  /** False where a reload would lose what the page shows: a change of language reloads it. */
  readonly canReload?: boolean
  readonly children: ReactNode
}

/** The header, footer and language switch of a public page. */
export function PageFrame(props: PageFrameProps): ReactNode {
  const { name, shop, isTest, status, wayBack, footer = [], canReload = true, children } = props
  return (
    <div className="page">
      {isTest && <TestLine />}
      <header className="page-head">
        <p className="page-name">
          {shop || (
            <>
              <PageMark />
              {name}
            </>
          )}
        </p>
        {isTest && <TestBadge />}
        {wayBack}
      </header>
      <p className="for-screen-readers" role="status">
        {status}
      </p>
      <main className="page-main">{children}</main>
      <footer className="page-foot">
        {footer.map((text) => (
          <p key={text}>{text}</p>
        ))}
        {canReload && <LanguageSwitch />}
      </footer>
    </div>
  )
}

const languages: readonly (readonly [Language, string])[] = [
  ['en', 'English'],
  ['fr', 'Français'],
]

function LanguageSwitch() {
  const current = readLanguage()
  return (
    <div className="page-languages" role="group" aria-label={uiWords().language}>
      {languages.map(([language, name]) =>
        language === current ? (
          <span className="page-language" key={language} lang={language} aria-current="true">
            {name}
          </span>
        ) : (
          <button
            className="page-language"
            key={language}
            lang={language}
            type="button"
            onClick={() => chooseLanguage(language)}
          >
            {name}
          </button>
        ),
      )}
    </div>
  )
}

type PageHeadingProps = { readonly above?: string; readonly children: ReactNode }

/** The heading of a view. Takes the focus when the element that had it is gone. */
export function PageHeading({ above = '', children }: PageHeadingProps): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body
    // After the first load the focus stays at the top of the page, as usual.
    if (isLost && 'userActivation' in navigator && navigator.userActivation.hasBeenActive)
      heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <h1 className="page-heading" ref={heading} tabIndex={-1}>
      {above !== '' && <span className="page-heading-above">{above} </span>}
      {children}
    </h1>
  )
}

export function PageMark(): ReactNode {
  return (
    <span className="page-mark" aria-hidden="true">
      <svg viewBox="0 0 28 20" width="20" height="14">
        <path d="M1 2a1 1 0 0 1 1-1h15a2 2 0 0 0 4 0h5a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1h-5a2 2 0 0 0-4 0H2a1 1 0 0 1-1-1z" />
        <path className="page-mark-holes" d="M19 5v2m0 2v2m0 2v2" />
      </svg>
    </span>
  )
}
