-- Files are uploaded side by side, so they arrive in any order; the invoice lists them as the sender does.
-- None until the invoice is sent, and for files of invoices that were sent before.
alter table invoice_attachments add column position smallint;
grant update (position) on invoice_attachments to scrip_server;
