-- A payment that is short by a rounding error of the payer's software completes its deposit: by default up to 0.1 % may be missing.
alter table merchant_environments alter column deposit_tolerance_ppm set default 1000;
-- Until now 0 was the default. Merchants that want the exact amount set 0 again.
update merchant_environments set deposit_tolerance_ppm = 1000 where deposit_tolerance_ppm = 0;
