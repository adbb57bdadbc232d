import { defineErrors } from '../base/errors.ts'

export const chainError = defineErrors({
  CHAIN_UNREACHABLE: { kind: 'unavailable', message: 'The network cannot be asked at the moment.' },
  CHAIN_DISAGREES: { kind: 'unavailable', message: 'What two nodes say of the network differs.' },
  CHAIN_UNWATCHED: { kind: 'unavailable', message: 'This network is not watched at the moment.' },
})
