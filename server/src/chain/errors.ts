import { defineErrors, unavailable } from '../base/errors.ts'

export const chainError = defineErrors({
  CHAIN_UNREACHABLE: unavailable('The network cannot be reached at the moment. Try again later.'),
  CHAIN_DISAGREES: unavailable('Two nodes of this network disagree. Try again later.'),
  CHAIN_REVERTS: unavailable('The network would not carry out the transaction at the moment. Try again later.'),
  CHAIN_UNFUNDED: unavailable(
    'The key that pays on this network has too little. Fund it; the payment follows by itself.',
  ),
  CHAIN_ONE_NODE: unavailable('This network has only one node and needs two.'),
  CHAIN_UNWATCHED: unavailable('This network is not being monitored at the moment. Try again later.'),
})
