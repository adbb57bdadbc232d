import { type Act, useAct as useActOf } from '../ui/use-act.ts'
import { refreshShown } from './known.ts'

export function useAct<Data>(): Act<Data> {
  return useActOf(refreshShown)
}
