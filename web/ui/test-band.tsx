import './test-band.css'

/** Stands wherever what is shown is not real money. */
export function TestBand() {
  return (
    <p className="test-band">
      <span className="test-band-words">Test mode: play money</span>
    </p>
  )
}
