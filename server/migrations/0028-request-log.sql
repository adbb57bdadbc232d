-- The request log: what API keys called in the last seven days, for the developers of a merchant.

-- step: the log
-- Requests with an API key. Their bodies are redacted before they are written. The rows of a day leave together with their part.
create table request_log (
  environment_id uuid not null,
  -- The id of the request, as in X-Request-Id.
  id             uuid not null,
  -- The key, or the public key of a request that was refused before its secret key was checked.
  key_id         uuid not null,
  method         text not null,
  -- The template of the path, such as /vouchers/:id: a path can contain an email address.
  route          text not null,
  status         smallint not null,
  -- Empty unless the request was refused.
  error_code     text not null,
  duration_ms    integer not null,
  -- The client's IP address.
  address        text not null,
  reference      text not null,
  -- JSON, redacted and cut, or empty.
  request_body   text not null,
  response_body  text not null,
  created_at     timestamptz not null,
  primary key (environment_id, id)
) partition by range (id);
create index request_log_of_reference on request_log (environment_id, reference, id) where reference <> '';
create index request_log_of_errors on request_log (environment_id, id) where status >= 400;
alter table request_log enable row level security;
-- Written and deleted by functions only.
grant select on request_log to scrip_server;

-- Ids of days that have no part.
create table request_log_other partition of request_log default;
alter table request_log_other enable row level security;
