import { useState } from 'react'

type Mark = {
  /** Whether the field shows that it is missing: from the check until it is filled in. */
  readonly isMarked: boolean
  /** Returns whether the field is filled in, and marks it if not. */
  readonly check: () => boolean
}

/** A field that is marked when its form is submitted without it, and not while the user fills it in for the first time. */
export function useMark(isFilledIn: boolean): Mark {
  const [wasMissing, setWasMissing] = useState(false)
  const check = (): boolean => {
    setWasMissing(!isFilledIn)
    return isFilledIn
  }
  return { isMarked: wasMissing && !isFilledIn, check }
}
