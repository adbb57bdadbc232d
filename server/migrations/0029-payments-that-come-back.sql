-- A payment that a reorganisation removed and a later block contains again is priced at the market of that later moment. Whoever
-- removes it therefore clears when it was priced.
grant update (priced_at) on chain_payments to scrip_chain;
