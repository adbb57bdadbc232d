-- Rules on vouchers.

drop policy if exists voucher_orders_of_environment on voucher_orders;
create policy voucher_orders_of_environment on voucher_orders for select using (environment_id = scrip_environment());
drop policy if exists voucher_orders_written on voucher_orders;
create policy voucher_orders_written on voucher_orders for insert with check (true);
drop policy if exists voucher_orders_freed on voucher_orders;
create policy voucher_orders_freed on voucher_orders for delete using (environment_id = scrip_environment());
