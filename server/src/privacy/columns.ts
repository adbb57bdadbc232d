/**
 * What an erasure does to a column: the row is deleted, the value replaced or emptied, or the address replaced in it, with whole values
 * under personal keys of JSON.
 */
export type Erased = 'deleted' | 'replaced' | 'emptied' | 'words'

/** The columns of a table. Each is in one of the four. Lists are names with spaces between them. */
export type Classified = {
  readonly personal?: Readonly<Record<string, Erased>>
  /** Ids of people. After an erasure nothing leads from them to a person. */
  readonly pseudonyms?: string
  /** What could lead to a person and stays all the same, with the reason. */
  readonly kept?: Readonly<Record<string, string>>
  /** Amounts, times, states, keys of rows and secrets of the platform. */
  readonly plain: string
}

const chain = 'public on its network; bookings refer to it'
const shop = 'data of a business'
const ref = "the merchant's own number, by which retries are safe; no personal data belongs in it"

/** All columns of all tables. Those of the archive are the same. A test fails if one is missing, or is there no more. */
export const columns: Readonly<Record<string, Classified>> = {
  account_days: { plain: 'environment_id account book_id day journal_kind other_kind issue_month value_in value_out' },
  account_entries: { plain: 'environment_id account book_id journal_id value_in value_out' },
  account_numbers: { plain: 'merchant_id account number' },
  acts: {
    personal: { object: 'words', address: 'emptied' },
    pseudonyms: 'user_id',
    kept: { ran_by: 'the operator, who answers for the command' },
    plain: 'id merchant_id mode operation status created_at key_id',
  },
  address_redemptions: {
    kept: { recipient: chain, tx_hash: chain },
    plain:
      'id environment_id voucher_id network_id token units gas gas_wei send_id vault nonce deadline ref_hash fee fee_recipient ended_at',
  },
  admin_balance_alerts: { plain: 'environment_id book_id fundings balance created_at' },
  chain_addresses: { kept: { address: chain }, plain: 'network_id owner_id salt wanted_at send_id repeats' },
  chain_blocks: { plain: 'network_id number hash parent mined_at' },
  chain_bookings: { plain: 'payment_id journal_id book_id amount undone_by' },
  chain_finality: { plain: 'network_id number mined_at said_at gas_price' },
  chain_lanes: { plain: 'network_id sender next_nonce' },
  chain_payments: {
    kept: { address: chain, tx_hash: chain },
    plain:
      'id network_id log_index owner_id token amount block_number mined_at seen_at gone_at booked_at bookings is_counted priced_at',
  },
  chain_sends: {
    kept: { to_address: chain, data: chain, tx_hash: chain },
    plain:
      'id network_id reference value asked_at sender nonce gas missed_at ended_at outcome fee lane from_address gas_max',
  },
  chain_signed: { kept: { raw: chain }, plain: 'hash send_id max_fee max_tip signed_at' },
  chain_sweeps: { kept: { tx_hash: chain }, plain: 'network_id log_index owner_id token amount block_number' },
  charge_discounts: { plain: 'id environment_id discount_ppm starts_at ends_at' },
  charge_rules: { plain: 'mode currency fixed share_ppm' },
  charge_settings: { plain: 'environment_id takes_from_balance' },
  currencies: {
    plain: 'id abbreviation name symbol type decimals amount_min amount_max is_active created_at desk_limit',
  },
  customers: {
    personal: { email: 'deleted', name: 'deleted', email_key: 'deleted', folded: 'deleted', grams: 'deleted' },
    pseudonyms: 'id',
    plain: 'environment_id created_at',
  },
  denied_addresses: { kept: { address: chain, reason: 'a duty of the operator' }, plain: 'denied_at' },
  deposit_cases: {
    plain: 'environment_id id deposit_id kind book_id amount opened_at resolved_at resolution matched_to',
  },
  deposit_refunds: {
    personal: { note: 'emptied' },
    pseudonyms: 'user_id',
    plain: 'environment_id id deposit_id case_id to_environment_id voucher_id created_at',
  },
  deposits: {
    pseudonyms: 'user_id',
    kept: { address: chain },
    plain:
      'environment_id id network_id token unit pay_book_id to_deposit charge rate_numerator rate_denominator tolerance paid credited swapped expires_at ended_at gas gas_in_coin coin_book_id',
  },
  environment_counts: { plain: 'environment_id counted total' },
  erasures: {
    personal: { address: 'emptied' },
    pseudonyms: 'user_ids digest',
    plain: 'id kind step after_key requested_at finished_at',
  },
  exchange_pairs: { plain: 'currency_a currency_b spread_ppm tolerance_ppm band_ppm' },
  exchange_rates: { plain: 'from_currency to_currency source rate said_at' },
  exchange_settings: { plain: 'only_row is_stopped user_daily' },
  held_rates: { plain: 'from_currency to_currency source rate said_at' },
  invoice_attachments: {
    personal: { name: 'deleted', content: 'deleted' },
    plain: 'environment_id id invoice_id kind size created_at position',
  },
  invoice_currencies: { plain: 'environment_id currency' },
  invoice_items: {
    personal: { description: 'replaced' },
    plain: 'environment_id invoice_id id position quantity unit_price total',
  },
  invoice_taxes: { plain: 'environment_id invoice_id position name rate amount' },
  invoice_upload_days: { plain: 'environment_id day bytes' },
  invoice_years: { plain: 'environment_id year last' },
  invoices: {
    personal: {
      email: 'replaced',
      full_name: 'replaced',
      sender_number: 'emptied',
      sender_address: 'emptied',
      reason: 'emptied',
    },
    pseudonyms: 'decided_by',
    plain:
      'environment_id id number status book_id total network invoice_date due_date on_chain decided_at paid_at voucher_id created_at links_revoked_at',
  },
  ledger_accounts: { pseudonyms: 'owner_id', plain: 'book_id kind state may_go_negative balance held version' },
  ledger_books: { plain: 'id mode currency' },
  ledger_check_sums: { pseudonyms: 'owner_id', plain: 'is_recent kind book_id check_id total' },
  ledger_checks: {
    pseudonyms: 'compared_owner',
    plain: 'id kind from_id recent_id below_id started_at finished_at was_abandoned journals accounts failures',
  },
  ledger_differences: {
    pseudonyms: 'subject',
    kept: { note: 'what the operator found out about a difference; no personal data belongs in it' },
    plain: 'id check_id kind part expected found found_at alerted_at acknowledged_at',
  },
  ledger_fundings: { kept: { posted_by: 'the name of a database role' }, plain: 'journal_id book_id amount' },
  ledger_hold_moves: { plain: 'journal_id position hold_id act amount' },
  ledger_holds: { pseudonyms: 'owner_id', plain: 'id book_id kind expires_at remaining' },
  ledger_journals: { plain: 'id key_hash fingerprint kind alternative posted_at' },
  ledger_keys: { plain: 'key_hash journal_id' },
  ledger_outbox: {
    personal: { payload: 'words' },
    pseudonyms: 'object_id',
    plain: 'id journal_id type created_at event_id environment_id sequence txid',
  },
  ledger_transfers: {
    pseudonyms: 'from_owner to_owner',
    plain: 'journal_id position book_id from_kind to_kind amount',
  },
  locations: { kept: { name: shop, address: shop }, plain: 'id merchant_id created_at closed_at' },
  mails: {
    personal: { recipient: 'deleted', content: 'words', said: 'words' },
    plain: 'id environment_id about_id language kind key_id secret_sealed status attempts next_attempt_at created_at',
  },
  merchant_environments: {
    kept: { address: shop, tax_number: shop },
    plain: 'id merchant_id mode redeem_needs_secret expired_to pays_invoices deposit_tolerance_ppm accent logo_version',
  },
  merchant_keys: {
    kept: { name: shop, shown: 'names a key', origins: shop },
    plain: 'id environment_id kind digest created_at last_used_at ends_at',
  },
  merchant_logos: { kept: { image: shop, small_image: shop }, plain: 'environment_id' },
  merchant_members: { pseudonyms: 'user_id', plain: 'merchant_id role created_at last_seen_at' },
  merchants: {
    personal: { contact_email: 'emptied' },
    kept: { code: shop, company_name: shop, trading_name: shop, description: shop, avatar: shop },
    plain: 'id home_currency time_zone created_at language',
  },
  network_tokens: { plain: 'id network_id currency_id address decimals vault is_active' },
  networks: {
    plain:
      'id abbreviation name chain_id type explorer_url rpc_url is_active mode factory treasury sweeper_hash final_depth trusts_one_node pays_addresses',
  },
  onchain_vouchers: {
    kept: { create_tx: chain },
    plain:
      'voucher_id environment_id network_id vault token decimals claim_key value is_locked expires_at creator code_hash create_send_id state balance nonce closing close_send_id',
  },
  outflow_approvals: { pseudonyms: 'approved_by', plain: 'environment_id outflow_id created_at' },
  outflow_hours: { plain: 'environment_id hour total' },
  outflow_rules: { plain: 'environment_id approval_above daily new_recipient_hours' },
  outflows: {
    personal: { recipient: 'replaced', request: 'emptied' },
    pseudonyms: 'requested_by',
    kept: { reference: ref },
    plain:
      'environment_id id kind book_id amount home_amount hour needs_approval is_approved not_before held_until ended_at outcome created_at',
  },
  payment_requests: {
    personal: { note: 'emptied' },
    pseudonyms: 'user_id',
    plain:
      'environment_id id expires_at paid_book_id paid_amount ended_at paid_rate_numerator paid_rate_denominator paid_spread_ppm',
  },
  payout_batches: {
    pseudonyms: 'requested_by',
    kept: { reference: ref },
    plain: 'environment_id id book_id file_digest size total created_at paid refused returned finished_at',
  },
  payout_rows: {
    personal: { recipient: 'replaced', name: 'emptied', note: 'emptied' },
    pseudonyms: 'user_id',
    kept: { reference: ref },
    plain: 'environment_id batch_id number id line amount status fault ended_at',
  },
  payouts: { pseudonyms: 'user_id', plain: 'environment_id id to_book_id network created_at' },
  push_subscriptions: {
    personal: { endpoint: 'deleted', p256dh: 'deleted', auth: 'deleted' },
    pseudonyms: 'user_id',
    plain: 'id created_at',
  },
  pushes: {
    personal: { payload: 'deleted' },
    pseudonyms: 'user_id',
    plain: 'subscription_id about_id expires_at attempts next_attempt_at',
  },
  redemptions: {
    pseudonyms: 'user_id',
    plain:
      'voucher_id id environment_id amount charge charged_to to_book_id to_amount rate_numerator rate_denominator rate_source rate_said_at created_at receipt_key spread_ppm',
  },
  registers: { kept: { name: shop }, plain: 'id location_id created_at closed_at' },
  report_progress: { plain: 'environment_id time_zone below_id' },
  request_log: {
    personal: { address: 'emptied', reference: 'words', request_body: 'emptied', response_body: 'emptied' },
    plain: 'environment_id id key_id method route status error_code duration_ms created_at',
  },
  sale_hours: { pseudonyms: 'seller_id', plain: 'environment_id hour total' },
  sale_limits: { plain: 'environment_id seller daily' },
  settled_days: { plain: 'environment_id from_id below_id figures' },
  shifts: {
    personal: { note: 'words' },
    pseudonyms: 'opened_by closed_by',
    plain: 'environment_id id register_id book_id opening_float opened_at closed_at expected counted',
  },
  transactions: {
    personal: { metadata: 'words' },
    pseudonyms: 'user_id member_id',
    kept: { reference: ref },
    plain:
      'environment_id id type status book_id amount charged charge_type created_at refunded updated_at code_tail refund_of settled_by by_public_key',
  },
  used_quotes: { plain: 'id ends_at' },
  user_blocks: { pseudonyms: 'user_id', plain: 'merchant_id created_at' },
  user_challenges: {
    personal: { identifier: 'deleted', value: 'deleted' },
    plain: 'id expires_at created_at updated_at',
  },
  user_links: { personal: { email: 'deleted', content: 'deleted' }, plain: 'digest realm purpose expires_at' },
  user_logins: {
    personal: { password: 'deleted' },
    pseudonyms: 'user_id account_id',
    plain: 'id provider_id created_at updated_at',
  },
  user_passkeys: {
    personal: { name: 'deleted', public_key: 'deleted', credential_id: 'deleted', aaguid: 'deleted' },
    pseudonyms: 'user_id',
    plain: 'id counter device_type backed_up transports created_at',
  },
  user_pins: {
    personal: { digest: 'deleted' },
    pseudonyms: 'user_id',
    plain: 'key_id wrong_in_row wrong_in_all locked_until till_wrong_in_row till_wrong_in_all till_locked_until',
  },
  user_sessions: {
    personal: { token: 'deleted', ip_address: 'deleted', user_agent: 'deleted' },
    pseudonyms: 'user_id',
    plain: 'id expires_at passkey_at created_at updated_at till_of',
  },
  user_two_factors: {
    personal: { secret: 'deleted', backup_codes: 'deleted' },
    pseudonyms: 'user_id',
    plain: 'id verified failures locked_until',
  },
  users: {
    personal: {
      email: 'replaced',
      username: 'emptied',
      phone: 'emptied',
      surname: 'replaced',
      other_names: 'emptied',
      avatar: 'emptied',
      external_id: 'emptied',
    },
    pseudonyms: 'id',
    plain:
      'realm email_verified language reg_channel is_active is_discoverable level is_operator two_factor_enabled created_at updated_at',
  },
  vault_bookings: { plain: 'journal_id event_id undone_by' },
  vault_events: {
    kept: { recipient: chain, reference: chain, tx_hash: chain },
    plain:
      'id network_id vault log_index kind code_hash amount fee fee_recipient nonce block_number mined_at seen_at gone_at booked_at bookings',
  },
  voucher_batches: {
    personal: { rules: 'words' },
    kept: { reference: ref, rows_sealed: 'codes and amounts, sealed; emptied when they are issued' },
    plain:
      'environment_id id book_id size amount total only_at expires_at expired_to key_id refused_rows created_at worked_at finished_at exported_at onchain_network_id is_inactive',
  },
  voucher_gifts: {
    personal: { email: 'replaced', sender: 'emptied', message: 'emptied' },
    plain: 'environment_id voucher_id language send_at sent_at ended_at sends',
  },
  voucher_hold_captures: { plain: 'environment_id id hold_id amount charge created_at' },
  voucher_holds: {
    kept: { reference: ref },
    plain:
      'environment_id id voucher_id book_id code_tail amount charge charge_type charged_to captured captured_charge state ledger_hold_id fee_hold_id expires_at created_at ended_at sequence',
  },
  voucher_moves: {
    personal: { reason: 'words' },
    plain: 'voucher_id id environment_id kind amount redemption_id created_at',
  },
  voucher_orders: { kept: { order_reference: ref, reference: ref }, plain: 'environment_id id' },
  voucher_pins: { plain: 'voucher_id key_id digest wrong_in_row wrong_in_all locked_until' },
  voucher_sales: {
    personal: { tender_reference: 'words', reason: 'words' },
    pseudonyms: 'seller_id member_id',
    kept: { reference: ref },
    plain:
      'environment_id id kind voucher_id book_id value price tender register_id shift_id undoes home_value code_tail created_at',
  },
  vouchers: {
    personal: { recipient: 'replaced', rules: 'words' },
    pseudonyms: 'buyer_id',
    plain:
      'environment_id id book_id amount was_paid_for recipient_kind only_at expires_at key_id code_hash code_sealed created_at batch_id batch_number expired_to expired_at was_expired replaced_by code_tail is_onchain is_store is_active',
  },
  wallet_limits: { plain: 'mode currency level daily' },
  wallet_moves: {
    personal: { with_name: 'replaced', note: 'emptied' },
    pseudonyms: 'user_id',
    plain: 'id book_id kind amount rate_numerator rate_denominator created_at',
  },
  wallet_quotes: {
    pseudonyms: 'user_id',
    plain: 'id from_currency to_currency pays gets rate_numerator rate_denominator ends_at',
  },
  webhook_attempts: {
    personal: { excerpt: 'emptied' },
    plain: 'environment_id endpoint_id event_id number at duration_ms status_code failure',
  },
  webhook_deliveries: {
    plain:
      'environment_id endpoint_id event_id event_txid event_number status attempts tries next_attempt_at created_at',
  },
  webhook_endpoints: {
    kept: { url: shop, description: shop },
    plain:
      'environment_id id event_types key_id secret_sealed old_key_id old_secret_sealed old_secret_until status disabled_reason failing_since version since created_at',
  },
  webhook_position: { plain: 'is_only txid number' },
}
