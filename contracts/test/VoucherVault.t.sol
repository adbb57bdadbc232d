// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IVoucherVault} from "../src/IVoucherVault.sol";
import {VoucherVault} from "../src/VoucherVault.sol";
import {Cheats} from "./Test.sol";
import {VaultKit} from "./VaultKit.sol";
import {TestToken} from "./local/TestToken.sol";

/// @dev What a vault guarantees for coin and for tokens.
abstract contract VoucherVaultTest is VaultKit {
    // Creating

    function test_a_voucher_holds_what_was_paid_under_its_terms() public {
        vm.recordLogs();
        bytes32 codeHash = create(KEY, AMOUNT, true, true);
        Cheats.Log memory log = readEvent();
        vm.assertEq(codeHash, hashOf(creator, KEY), "hash");
        IVoucherVault.Voucher memory voucher = vault.getVoucher(codeHash);
        vm.assertEq(voucher.creator, creator, "creator");
        vm.assertEq(voucher.value, AMOUNT, "value");
        vm.assertEq(voucher.balance, AMOUNT, "balance");
        vm.assertEq(voucher.expiry, EXPIRY, "expiry");
        vm.assertEq(voucher.nonce, 0, "nonce");
        vm.assertTrue(voucher.isLocked && voucher.isRevocable, "terms");
        vm.assertEq(vault.liabilities(), AMOUNT, "liabilities");
        expectSolvent();
        vm.assertEq(log.topics[0], IVoucherVault.VoucherCreated.selector, "event");
        vm.assertEq(log.topics[1], codeHash, "hash in the event");
        vm.assertEq(address(uint160(uint256(log.topics[2]))), creator, "creator in the event");
        vm.assertEq(keccak256(log.data), keccak256(abi.encode(AMOUNT, EXPIRY, true, true)), "data of the event");
    }

    function testFuzz_terms_and_amounts_do_not_mix(uint128 amount, uint40 expiry, bool isLocked, bool isRevocable)
        public
    {
        amount = uint128(bound(amount, 1, type(uint128).max));
        expiry = uint40(bound(expiry, START + 1, START + 3_653 days));
        fund(stranger, amount);
        vm.prank(stranger);
        bytes32 codeHash =
            vault.createVoucher{value: valueOf(amount)}(vm.addr(KEY), amount, expiry, isLocked, isRevocable);
        IVoucherVault.Voucher memory expected =
            IVoucherVault.Voucher(stranger, amount, amount, 0, expiry, isLocked, isRevocable);
        vm.assertEq(
            keccak256(abi.encode(vault.getVoucher(codeHash))), keccak256(abi.encode(expected)), "another voucher"
        );
    }

    function test_a_batch_creates_each_voucher_with_its_own_value_and_event() public {
        (address[] memory keys, uint128[] memory amounts) = (new address[](3), new uint128[](3));
        for (uint128 i; i < 3; ++i) {
            (keys[i], amounts[i]) = (vm.addr(KEY + i), 10 + i);
        }
        vm.recordLogs();
        vm.prank(creator);
        vault.createVouchers{value: valueOf(33)}(keys, amounts, EXPIRY, true, false);
        Cheats.Log[] memory logs = vm.getRecordedLogs();
        uint256 events;
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].emitter != address(vault)) continue;
            vm.assertEq(logs[i].topics[1], hashOf(creator, KEY + events), "hash in the event");
            vm.assertEq(
                keccak256(logs[i].data), keccak256(abi.encode(10 + events, EXPIRY, true, false)), "data of the event"
            );
            IVoucherVault.Voucher memory voucher = vault.getVoucher(hashOf(creator, KEY + events));
            vm.assertEq(voucher.balance, 10 + events, "balance");
            vm.assertTrue(voucher.isLocked && !voucher.isRevocable, "terms");
            events += 1;
        }
        vm.assertEq(events, 3, "events");
        vm.assertEq(vault.liabilities(), 33, "liabilities");
        expectSolvent();
    }

    function test_a_batch_with_a_missing_amount_or_a_repeated_key_creates_nothing() public {
        (address[] memory keys, uint128[] memory amounts) = (new address[](2), new uint128[](1));
        (keys[0], keys[1], amounts[0]) = (vm.addr(KEY), vm.addr(KEY), 5);
        vm.prank(creator);
        vm.expectRevert(IVoucherVault.LengthMismatch.selector);
        vault.createVouchers{value: valueOf(5)}(keys, amounts, EXPIRY, false, false);
        amounts = new uint128[](2);
        (amounts[0], amounts[1]) = (5, 5);
        vm.prank(creator);
        vm.expectRevert(IVoucherVault.VoucherExists.selector);
        vault.createVouchers{value: valueOf(10)}(keys, amounts, EXPIRY, false, false);
        vm.prank(creator);
        vm.expectRevert(IVoucherVault.ExpiryInvalid.selector);
        vault.createVouchers{value: valueOf(10)}(keys, amounts, START, false, false);
        vm.assertEq(vault.liabilities(), 0, "liabilities");
    }

    function test_a_hash_seen_in_a_pending_transaction_cannot_be_taken() public {
        fund(stranger, AMOUNT);
        vm.prank(stranger);
        bytes32 taken = vault.createVoucher{value: valueOf(1)}(vm.addr(KEY), 1, EXPIRY, false, true);
        bytes32 codeHash = create();
        vm.assertTrue(taken != codeHash, "the stranger has the hash");
        vm.assertEq(vault.getVoucher(codeHash).balance, AMOUNT, "balance");
        // The bearer's signature names the hash, so the stranger's voucher of the same key is another one.
        redeem(redemptionOf(AMOUNT));
        vm.assertEq(vault.getVoucher(taken).balance, 1, "the stranger's voucher");
    }

    function test_a_key_cannot_be_used_twice_by_a_creator_even_after_the_voucher_was_closed() public {
        bytes32 codeHash = create(KEY, AMOUNT, false, true);
        expectNotCreated(vm.addr(KEY), AMOUNT, EXPIRY, IVoucherVault.VoucherExists.selector);
        vm.prank(creator);
        vault.close(codeHash);
        expectNotCreated(vm.addr(KEY), AMOUNT, EXPIRY, IVoucherVault.VoucherExists.selector);
    }

    function test_a_voucher_needs_a_key_an_amount_and_an_expiry_within_3653_days() public {
        expectNotCreated(address(0), AMOUNT, EXPIRY, IVoucherVault.ClaimKeyMissing.selector);
        expectNotCreated(vm.addr(KEY), 0, EXPIRY, IVoucherVault.AmountMissing.selector);
        expectNotCreated(vm.addr(KEY), AMOUNT, 0, IVoucherVault.ExpiryInvalid.selector);
        expectNotCreated(vm.addr(KEY), AMOUNT, START, IVoucherVault.ExpiryInvalid.selector);
        uint40 last = START + 3_653 days;
        expectNotCreated(vm.addr(KEY), AMOUNT, last + 1, IVoucherVault.ExpiryInvalid.selector);
        vm.prank(creator);
        vault.createVoucher{value: valueOf(AMOUNT)}(vm.addr(KEY), AMOUNT, last, false, false);
    }

    function expectNotCreated(address key, uint128 amount, uint40 expiry, bytes4 selector) internal {
        vm.prank(creator);
        vm.expectRevert(selector);
        vault.createVoucher{value: valueOf(amount)}(key, amount, expiry, false, false);
    }

    // Redeeming

    function test_a_redemption_pays_the_recipient_and_leaves_the_rest() public {
        bytes32 codeHash = create();
        vm.recordLogs();
        redeem(redemptionOf(300));
        Cheats.Log memory log = readEvent();
        vm.assertEq(holds(recipient), 1 + 300, "recipient");
        IVoucherVault.Voucher memory voucher = vault.getVoucher(codeHash);
        vm.assertEq(voucher.balance, 700, "balance");
        vm.assertEq(voucher.value, AMOUNT, "value");
        vm.assertEq(voucher.nonce, 1, "nonce");
        vm.assertEq(voucher.expiry, EXPIRY, "expiry");
        vm.assertEq(vault.liabilities(), 700, "liabilities");
        expectSolvent();
        vm.assertEq(log.topics[0], IVoucherVault.VoucherRedeemed.selector, "event");
        vm.assertEq(log.topics[1], codeHash, "hash in the event");
        vm.assertEq(address(uint160(uint256(log.topics[2]))), recipient, "recipient in the event");
        vm.assertEq(log.topics[3], REF, "reference in the event");
        vm.assertEq(keccak256(log.data), keccak256(abi.encode(300, 0, address(0), 0, 700)), "data of the event");
        redeem(redemptionOf(700));
        vm.assertEq(holds(recipient), 1 + AMOUNT, "recipient, in the end");
        vm.assertEq(vault.liabilities(), 0, "liabilities, in the end");
    }

    function test_a_fee_is_paid_from_the_voucher_in_addition_to_the_amount() public {
        bytes32 codeHash = create();
        redeem(redemptionOf(100));
        vm.recordLogs();
        redeem(withFee(850, 50));
        vm.assertEq(holds(recipient), 1 + 950, "recipient");
        vm.assertEq(holds(feeRecipient), 1 + 50, "fee recipient");
        vm.assertEq(vault.getVoucher(codeHash).balance, 0, "balance");
        vm.assertEq(
            keccak256(readEvent().data), keccak256(abi.encode(850, 50, feeRecipient, 1, 0)), "data of the event"
        );
        expectSolvent();
    }

    function test_amount_and_fee_together_may_not_exceed_the_balance() public {
        create();
        create(KEY + 1, AMOUNT, false, false);
        expectRefused(redemptionOf(AMOUNT + 1), IVoucherVault.BalanceTooLow.selector);
        expectRefused(withFee(AMOUNT, 1), IVoucherVault.BalanceTooLow.selector);
        expectRefused(withFee(1, AMOUNT), IVoucherVault.BalanceTooLow.selector);
        expectRefused(withFee(type(uint128).max, type(uint128).max), IVoucherVault.BalanceTooLow.selector);
        expectRefused(withFee(type(uint128).max, 1), IVoucherVault.BalanceTooLow.selector);
        expectRefused(withFee(0, 1), IVoucherVault.AmountMissing.selector);
        redeem(redemptionOf(600));
        // The value of the voucher would cover it, but not its balance.
        expectRefused(redemptionOf(401), IVoucherVault.BalanceTooLow.selector);
    }

    function testFuzz_every_unit_goes_to_recipient_fee_recipient_or_stays(uint128 value, uint128 amount, uint128 fee)
        public
    {
        value = uint128(bound(value, 1, 1e30 - 1));
        amount = uint128(bound(amount, 1, value));
        fee = uint128(bound(fee, 0, value - amount));
        bytes32 codeHash = create(KEY, value, false, false);
        redeem(withFee(amount, fee));
        vm.assertEq(holds(recipient), 1 + amount, "recipient");
        vm.assertEq(holds(feeRecipient), 1 + fee, "fee recipient");
        vm.assertEq(vault.getVoucher(codeHash).balance, value - amount - fee, "balance");
        vm.assertEq(vault.getVoucher(codeHash).value, value, "value");
        expectSolvent();
    }

    function test_a_redemption_executes_once() public {
        create();
        IVoucherVault.Redemption memory redemption = redemptionOf(100);
        redeem(redemption);
        expectRefused(redemption, IVoucherVault.NonceMismatch.selector);
        redemption.nonce = 2;
        expectRefused(redemption, IVoucherVault.NonceMismatch.selector);
        redemption.nonce = 1;
        redeem(redemption);
        vm.assertEq(holds(recipient), 1 + 200, "recipient");
    }

    function test_a_relayer_can_change_no_field_of_a_redemption() public {
        create();
        redeem(redemptionOf(1));
        IVoucherVault.Redemption memory signed = withFee(100, 10);
        bytes memory signature = sign(KEY, signed);
        for (uint256 i; i < 6; ++i) {
            IVoucherVault.Redemption memory changed = withFee(100, 10);
            if (i == 0) changed.recipient = stranger;
            if (i == 1) changed.amount += 1;
            if (i == 2) changed.fee += 1;
            if (i == 3) changed.feeRecipient = stranger;
            if (i == 4) changed.deadline += 1;
            if (i == 5) changed.ref = keccak256("another order");
            expectRefused(changed, signature, IVoucherVault.SignatureInvalid.selector);
        }
        vm.prank(relayer);
        vault.redeem(signed, signature);
    }

    function test_a_signature_is_for_one_voucher() public {
        create();
        IVoucherVault.Redemption memory redemption = redemptionOf(100);
        bytes memory signature = sign(KEY, redemption);
        redemption.codeHash = create(KEY + 1, AMOUNT, false, false);
        expectRefused(redemption, signature, IVoucherVault.SignatureInvalid.selector);
        expectRefused(redemption, sign(KEY, redemption), IVoucherVault.SignatureInvalid.selector);
        redemption.codeHash = keccak256("no voucher");
        expectRefused(redemption, IVoucherVault.VoucherNotFound.selector);
    }

    function test_the_creator_cannot_redeem_a_voucher_of_a_key_that_it_does_not_have() public {
        create();
        IVoucherVault.Redemption memory redemption = redemptionOf(100);
        // The key of account 3, which is the creator.
        expectRefused(redemption, sign(1_003, redemption), IVoucherVault.SignatureInvalid.selector);
    }

    function test_a_signature_for_another_vault_or_chain_is_refused() public {
        create();
        IVoucherVault.Redemption memory redemption = redemptionOf(100);
        (VoucherVault own, uint256 chain) = (vault, block.chainid);
        vault = new VoucherVault(asset, owner, operator);
        bytes memory ofOtherVault = sign(KEY, redemption);
        vault = own;
        expectRefused(redemption, ofOtherVault, IVoucherVault.SignatureInvalid.selector);
        bytes memory signature = sign(KEY, redemption);
        vm.chainId(chain + 1);
        expectRefused(redemption, signature, IVoucherVault.SignatureInvalid.selector);
        // After a fork, the new chain accepts signatures for its own id.
        redeem(redemption);
        vm.chainId(chain);
    }

    function test_the_digest_is_that_of_eip_712() public view {
        IVoucherVault.Redemption memory it = withFee(300, 7);
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("Scrip VoucherVault"),
                keccak256("1"),
                block.chainid,
                address(vault)
            )
        );
        bytes32 kind = keccak256(
            "Redemption(bytes32 codeHash,address recipient,uint128 amount,uint128 fee,address feeRecipient,uint32 nonce,uint40 deadline,bytes32 ref)"
        );
        bytes memory fields = abi.encode(
            kind, it.codeHash, it.recipient, it.amount, it.fee, it.feeRecipient, it.nonce, it.deadline, it.ref
        );
        vm.assertEq(vault.digestOf(it), keccak256(abi.encodePacked(hex"1901", domain, keccak256(fields))), "digest");
    }

    function test_the_second_form_of_a_signature_and_malformed_signatures_are_refused() public {
        create();
        IVoucherVault.Redemption memory redemption = redemptionOf(100);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(KEY, vault.digestOf(redemption));
        bytes32 high = bytes32(ORDER - uint256(s));
        bytes4 invalid = IVoucherVault.SignatureInvalid.selector;
        expectRefused(redemption, abi.encodePacked(r, high, v == 27 ? 28 : 27), invalid);
        expectRefused(redemption, abi.encodePacked(r, s, v - 27), invalid);
        expectRefused(redemption, abi.encodePacked(r, s), invalid);
        expectRefused(redemption, abi.encodePacked(r, s, v, v), invalid);
        expectRefused(redemption, new bytes(65), invalid);
        expectRefused(redemption, "", invalid);
    }

    function test_a_redemption_ends_with_its_deadline_and_a_voucher_with_its_expiry() public {
        create();
        IVoucherVault.Redemption memory redemption = redemptionOf(100);
        vm.warp(DEADLINE);
        redeem(redemption);
        vm.warp(DEADLINE + 1);
        expectRefused(redemptionOf(100), IVoucherVault.DeadlinePassed.selector);
        redemption = redemptionOf(100);
        redemption.deadline = type(uint40).max;
        vm.warp(EXPIRY);
        redeem(redemption);
        vm.warp(EXPIRY + 1);
        redemption.nonce += 1;
        expectRefused(redemption, IVoucherVault.VoucherExpired.selector);
    }

    function test_nothing_is_paid_to_the_zero_address_or_the_vault() public {
        create();
        address[2] memory wrong = [address(0), address(vault)];
        for (uint256 i; i < 2; ++i) {
            IVoucherVault.Redemption memory redemption = withFee(100, 10);
            redemption.recipient = wrong[i];
            expectRefused(redemption, IVoucherVault.RecipientInvalid.selector);
            redemption = withFee(100, 10);
            redemption.feeRecipient = wrong[i];
            expectRefused(redemption, IVoucherVault.RecipientInvalid.selector);
        }
    }

    function test_a_locked_voucher_is_redeemed_by_an_operator_only() public {
        create(KEY, AMOUNT, true, false);
        IVoucherVault.Redemption memory redemption = redemptionOf(100);
        bytes memory signature = sign(KEY, redemption);
        expectRefused(redemption, signature, IVoucherVault.NotOperator.selector);
        vm.prank(creator);
        vm.expectRevert(IVoucherVault.NotOperator.selector);
        vault.redeem(redemption, signature);
        vm.prank(operator);
        vault.redeem(redemption, signature);
        vm.assertEq(holds(recipient), 1 + 100, "recipient");
        vm.prank(owner);
        vault.setOperator(operator, false);
        redemption = redemptionOf(100);
        signature = sign(KEY, redemption);
        vm.prank(operator);
        vm.expectRevert(IVoucherVault.NotOperator.selector);
        vault.redeem(redemption, signature);
    }

    function test_an_operator_needs_the_signature_of_the_code() public {
        create(KEY, AMOUNT, true, false);
        IVoucherVault.Redemption memory redemption = redemptionOf(100);
        bytes memory signature = sign(KEY + 1, redemption);
        vm.prank(operator);
        vm.expectRevert(IVoucherVault.SignatureInvalid.selector);
        vault.redeem(redemption, signature);
    }

    // Closing

    function test_anyone_closes_an_expired_voucher_and_the_creator_receives_the_rest() public {
        bytes32 codeHash = create();
        create(KEY + 1, AMOUNT, false, false);
        redeem(redemptionOf(300));
        uint256 had = holds(creator);
        vm.warp(EXPIRY);
        expectNotClosed(stranger, codeHash, IVoucherVault.VoucherNotClosable.selector);
        vm.warp(EXPIRY + 1);
        vm.recordLogs();
        vm.prank(stranger);
        vault.close(codeHash);
        Cheats.Log memory log = readEvent();
        vm.assertEq(holds(creator), had + 700, "creator");
        IVoucherVault.Voucher memory voucher = vault.getVoucher(codeHash);
        vm.assertEq(uint256(voucher.value) + voucher.balance, 0, "value and balance");
        vm.assertEq(voucher.nonce, 1, "nonce");
        vm.assertEq(voucher.creator, creator, "creator of the voucher");
        vm.assertEq(vault.liabilities(), AMOUNT, "liabilities");
        expectSolvent();
        vm.assertEq(log.topics[0], IVoucherVault.VoucherClosed.selector, "event");
        vm.assertEq(log.topics[1], codeHash, "hash in the event");
        vm.assertEq(address(uint160(uint256(log.topics[2]))), creator, "creator in the event");
        vm.assertEq(keccak256(log.data), keccak256(abi.encode(700)), "data of the event");
        expectNotClosed(stranger, codeHash, IVoucherVault.BalanceTooLow.selector);
    }

    function test_before_it_expires_a_voucher_is_closed_by_its_creator_only_and_only_if_revocable() public {
        bytes32 revocable = create(KEY, AMOUNT, false, true);
        bytes32 firm = create(KEY + 1, AMOUNT, false, false);
        expectNotClosed(creator, firm, IVoucherVault.VoucherNotClosable.selector);
        expectNotClosed(stranger, revocable, IVoucherVault.VoucherNotClosable.selector);
        expectNotClosed(owner, revocable, IVoucherVault.VoucherNotClosable.selector);
        expectNotClosed(operator, revocable, IVoucherVault.VoucherNotClosable.selector);
        IVoucherVault.Redemption memory redemption = redemptionOf(100);
        vm.prank(creator);
        vault.close(revocable);
        expectRefused(redemption, IVoucherVault.BalanceTooLow.selector);
        expectNotClosed(creator, keccak256("no voucher"), IVoucherVault.VoucherNotFound.selector);
    }

    function test_a_voucher_that_was_redeemed_to_the_end_cannot_be_closed() public {
        bytes32 codeHash = create(KEY, AMOUNT, false, true);
        redeem(redemptionOf(AMOUNT));
        expectNotClosed(creator, codeHash, IVoucherVault.BalanceTooLow.selector);
    }

    function expectNotClosed(address caller, bytes32 codeHash, bytes4 selector) internal {
        vm.prank(caller);
        vm.expectRevert(selector);
        vault.close(codeHash);
    }

    // The owner

    function test_a_pause_blocks_creation_and_redemption_but_never_closing() public {
        bytes32 codeHash = create(KEY, AMOUNT, false, true);
        vm.recordLogs();
        vm.prank(owner);
        vault.pause();
        vm.assertEq(readEvent().topics[0], IVoucherVault.Paused.selector, "event");
        vm.assertTrue(vault.isPaused(), "not paused");
        vm.assertEq(vault.liabilities(), AMOUNT, "liabilities");
        expectNotCreated(vm.addr(KEY + 1), AMOUNT, EXPIRY, IVoucherVault.VaultPaused.selector);
        vm.prank(creator);
        vm.expectRevert(IVoucherVault.VaultPaused.selector);
        vault.createVouchers(new address[](0), new uint128[](0), EXPIRY, false, false);
        expectRefused(redemptionOf(100), IVoucherVault.VaultPaused.selector);
        vm.prank(creator);
        vault.close(codeHash);
        vm.assertTrue(vault.isPaused(), "closing ended the pause");
        vm.recordLogs();
        vm.prank(owner);
        vault.unpause();
        vm.assertEq(readEvent().topics[0], IVoucherVault.Unpaused.selector, "event");
        vm.assertTrue(!vault.isPaused(), "still paused");
        create(KEY + 1, AMOUNT, false, false);
        expectSolvent();
    }

    function test_the_owner_skims_what_exceeds_the_liabilities_and_no_more() public {
        create();
        vm.prank(owner);
        vm.assertEq(vault.skim(stranger), 0, "nothing to skim");
        give(address(vault), 77);
        vm.recordLogs();
        vm.prank(owner);
        vm.assertEq(vault.skim(stranger), 77, "skimmed");
        Cheats.Log memory log = readEvent();
        vm.assertEq(log.topics[0], IVoucherVault.Skimmed.selector, "event");
        vm.assertEq(abi.decode(log.data, (uint256)), 77, "amount in the event");
        vm.assertEq(holds(stranger), 77, "stranger");
        expectSolvent();
        give(address(vault), 1);
        vm.prank(owner);
        vm.expectRevert(IVoucherVault.RecipientInvalid.selector);
        vault.skim(address(0));
        vm.prank(owner);
        vault.pause();
        vm.prank(owner);
        vault.skim(stranger);
        vm.assertTrue(vault.isPaused(), "skimming ended the pause");
        redeemAfterUnpause();
    }

    function redeemAfterUnpause() private {
        vm.prank(owner);
        vault.unpause();
        redeem(redemptionOf(AMOUNT));
    }

    function test_only_the_owner_administers() public {
        give(address(vault), 1);
        bytes4 selector = IVoucherVault.NotOwner.selector;
        address[3] memory callers = [operator, creator, stranger];
        for (uint256 i; i < callers.length; ++i) {
            vm.prank(callers[i]);
            vm.expectRevert(selector);
            vault.pause();
            vm.prank(callers[i]);
            vm.expectRevert(selector);
            vault.unpause();
            vm.prank(callers[i]);
            vm.expectRevert(selector);
            vault.skim(callers[i]);
            vm.prank(callers[i]);
            vm.expectRevert(selector);
            vault.setOperator(callers[i], true);
            vm.prank(callers[i]);
            vm.expectRevert(selector);
            vault.transferOwnership(callers[i]);
        }
    }

    function test_ownership_moves_only_when_the_new_owner_accepts() public {
        vm.prank(owner);
        vault.transferOwnership(stranger);
        vm.assertEq(vault.owner(), owner, "moved too early");
        vm.assertEq(vault.pendingOwner(), stranger, "pending owner");
        vm.prank(creator);
        vm.expectRevert(IVoucherVault.NotPendingOwner.selector);
        vault.acceptOwnership();
        vm.prank(stranger);
        vault.acceptOwnership();
        vm.assertEq(vault.owner(), stranger, "owner");
        vm.assertEq(vault.pendingOwner(), address(0), "still pending");
        vm.prank(owner);
        vm.expectRevert(IVoucherVault.NotOwner.selector);
        vault.pause();
        vm.prank(stranger);
        vm.expectRevert(IVoucherVault.NotPendingOwner.selector);
        vault.acceptOwnership();
    }

    // One test for each refused deployment: with dynamic linking, forge ends a test at a deployment that reverts.

    function test_a_vault_needs_an_asset() public {
        vm.expectRevert(IVoucherVault.AssetInvalid.selector);
        new VoucherVault(account(99), owner, operator);
    }

    function test_a_vault_needs_an_owner() public {
        vm.expectRevert(IVoucherVault.OwnerMissing.selector);
        new VoucherVault(asset, address(0), operator);
    }

    function test_a_vault_may_have_no_operator() public {
        VoucherVault bare = new VoucherVault(asset, owner, address(0));
        vm.assertTrue(!bare.isOperator(address(0)), "zero is an operator");
        vm.assertTrue(vault.isOperator(operator), "the first operator");
        vm.assertEq(bare.asset(), asset, "asset");
        vm.assertEq(bare.owner(), owner, "owner");
    }
}

contract CoinVaultTest is VoucherVaultTest {
    function setUp() public {
        setUpVault(address(0));
    }

    function test_the_coin_sent_must_be_the_exact_amount() public {
        for (uint256 i; i < 3; ++i) {
            vm.prank(creator);
            vm.expectRevert(IVoucherVault.PaymentInexact.selector);
            vault.createVoucher{value: [uint256(0), 99, 101][i]}(vm.addr(KEY), 100, EXPIRY, false, false);
        }
        (address[] memory keys, uint128[] memory amounts) = (listOf(vm.addr(KEY)), new uint128[](1));
        amounts[0] = 100;
        vm.prank(creator);
        vm.expectRevert(IVoucherVault.PaymentInexact.selector);
        vault.createVouchers{value: 101}(keys, amounts, EXPIRY, false, false);
    }

    function test_coin_sent_without_a_voucher_is_refused() public {
        vm.prank(creator);
        (bool isPaid,) = address(vault).call{value: 1}("");
        vm.assertTrue(!isPaid, "accepted");
    }
}

contract TokenVaultTest is VoucherVaultTest {
    function setUp() public {
        setUpVault(address(new TestToken("Dollar", "USD", 18)));
    }

    function test_coin_sent_to_a_vault_of_tokens_is_refused() public {
        vm.deal(creator, 1 ether);
        vm.prank(creator);
        vm.expectRevert(IVoucherVault.PaymentInexact.selector);
        vault.createVoucher{value: 1}(vm.addr(KEY), AMOUNT, EXPIRY, false, false);
        (address[] memory keys, uint128[] memory amounts) = (listOf(vm.addr(KEY)), new uint128[](1));
        amounts[0] = AMOUNT;
        vm.prank(creator);
        vm.expectRevert(IVoucherVault.PaymentInexact.selector);
        vault.createVouchers{value: AMOUNT}(keys, amounts, EXPIRY, false, false);
    }

    function test_a_creator_without_an_allowance_is_refused() public {
        give(stranger, AMOUNT);
        vm.prank(stranger);
        vm.expectRevert(IVoucherVault.TransferFailed.selector);
        vault.createVoucher(vm.addr(KEY), AMOUNT, EXPIRY, false, false);
    }
}
