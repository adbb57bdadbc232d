import { defineErrors, unavailable } from '../base/errors.ts'

export const chainError = defineErrors({
  CHAIN_UNREACHABLE: unavailable('The network cannot be asked at the moment.'),
  CHAIN_DISAGREES: unavailable('What two nodes say of the network differs.'),
  CHAIN_ONE_NODE: unavailable('This network has one node only, and needs two.'),
  CHAIN_UNWATCHED: unavailable('This network is not watched at the moment.'),
})
