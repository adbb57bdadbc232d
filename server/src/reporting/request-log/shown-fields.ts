// Which fields of bodies the request log shows. A field that is not listed here is hidden, so a new one is hidden until it is added.

/** Fields with amounts, ids, states and times. They contain nothing secret and nothing about a person. */
const shownNames = new Set(
  `abbrev Abbreviation abbreviation accepted account after allowed amount amountToDeposit amountToDepositExact at
  attempts balance batchId bearer blockchainNetworkAbbreviation blockchainNetworkId byLink captureAmount capturedAmount
  capturedCharge captureReference caseId chainID charge chargedAmount chargedTo chargeType closing codeTail column
  confirmations confirmedAmount createdAt createdForExistingUser createdForMerchant createdForNonExistingUser credit
  creditedAmount currency currency_abbreviation currencyAbbreviation currencyDecimals currencyType customerId
  dateCreated debit decimals depositId disabledReason doc dueDate durationMs emailVerified endpointId eventId eventType
  eventTypes exchangeRate expiresAt expiresInSeconds exportedAt failingSince failure fault fee final finishedAt
  forMerchant fromCurrencyAbbreviation hasMore heldAmount holdId id invoiceDate invoiceID invoiceId invoiceNumber
  isActive isBound isCounted isCovered isEnabled isInactive isLocked isMerchant isPercentageCharge isPinSet isRedeemed
  isReturnable isReversed issued isUndone isUsed keyId kind language limit line marketRate matchedReferenceId
  matchReference maxAmount merchantCode merchantID minAmount minedAt minimumPurchase mode month needsApproval netAmount
  networkID networkId networkType newRecipients nextAttemptAt nextCursor notBefore number objectId onChain onchain
  onchainProcessing onePerOrder onlyAt openedAt opening orderReference outcome outflowId outstanding page paid paidAt
  param pay_with_currency_abbreviation payCurrency percentageCharge price processingFee purchaseAmount quantity quoteId
  rate readyAt received receivedAmount redeemChargesFixRate redeemChargesPercentage redeemChargesPercentageDiscount
  redeemedUserID reference reference_id referenceHash referenceId refundedAmount refundOf refundReferenceId registerId
  replacedBy replaces replayed requested requestedCurrency requestId resolution resolvedAt retryAfterSeconds returned
  returnedAmount returnedCurrency role saleId sameFile sendAt sendEmail sequence shiftId since size spreadPercentage
  state status statusCode success swapAmount symbol takeChargesFromWallet tender timestamp toAmount
  toCurrencyAbbreviation toDeposit total totalAmount totalDeductable totalGasAndProceesingFeeInFromCurrency
  totalGasCostAndProcessingFeeInWei totalPrice transactionHash transactionId type underpaymentTolerancePercentage
  unitPrice until updatedAt userId validFrom value valueIn valueOut voucherID voucherId voucherType waitHours wasPaidFor
  weekdays`.split(/\s+/),
)

/** Fields whose name alone does not say enough. */
const shownPaths: Readonly<Record<string, readonly string[]>> = {
  code: ['response.code', 'response.error.code'],
  message: ['response.message'],
  reason: ['response.error.reason', 'response.error.faults.reason'],
}

export type BodyKind = 'request' | 'response'

/** Whether the value of a field may be in the log. `path` are the names of the fields around it and its own. */
export function isShownField(kind: BodyKind, path: readonly string[]): boolean {
  const name = path.at(-1) ?? ''
  return shownNames.has(name) || (Object.hasOwn(shownPaths, name) && isShownPath(name, [kind, ...path].join('.')))
}

function isShownPath(name: string, path: string): boolean {
  return shownPaths[name]?.includes(path) === true
}

/** For the test that compares them with the API reference. */
export const listShownNames = (): readonly string[] => [...shownNames]
