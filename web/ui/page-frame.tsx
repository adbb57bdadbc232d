import { type ReactNode, useEffect, useRef } from 'react'
import './page-frame.css'
import { TestBand } from './test-band.tsx'

type PageFrameProps = {
  /** What the pages around this one are about. */
  readonly name: string
  readonly isTest: boolean
  /** Said to those who cannot see the page change. */
  readonly status: string
  readonly wayBack?: ReactNode
  readonly footer?: readonly string[]
  readonly children: ReactNode
}

export function PageFrame({ name, isTest, status, wayBack, footer = [], children }: PageFrameProps) {
  return (
    <div className="page">
      {isTest && <TestBand />}
      <header className="page-head">
        <p className="page-name">
          <PageMark />
          {name}
        </p>
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
      </footer>
    </div>
  )
}

/** The heading of a view. Takes the focus when the act that led here took the focused thing away. */
export function PageHeading({ above = '', children }: { readonly above?: string; readonly children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body
    // Nobody has acted yet when the page has just loaded, and the reader starts at the top as usual.
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

export function PageMark() {
  return (
    <svg className="page-mark" viewBox="0 0 28 20" width="28" height="20" aria-hidden="true">
      <path d="M1 2a1 1 0 0 1 1-1h15a2 2 0 0 0 4 0h5a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1h-5a2 2 0 0 0-4 0H2a1 1 0 0 1-1-1z" />
      <path className="page-mark-holes" d="M19 5v2m0 2v2m0 2v2" />
    </svg>
  )
}
