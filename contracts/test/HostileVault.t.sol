// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IVoucherVault} from "../src/IVoucherVault.sol";
import {HookedToken, HostileAccount, LyingToken} from "./Hostile.sol";
import {VaultKit} from "./VaultKit.sol";
import {BlockingToken, SilentToken, TaxedToken, TestToken} from "./local/TestToken.sol";

/// @dev Tokens and accounts that lie, refuse or call back.
contract HostileVaultTest is VaultKit {
    function expectNotCreated(bytes4 selector) private {
        vm.prank(creator);
        vm.expectRevert(selector);
        vault.createVoucher{value: valueOf(AMOUNT)}(vm.addr(KEY), AMOUNT, EXPIRY, false, false);
        vm.assertEq(vault.liabilities(), 0, "liabilities");
    }

    /// @dev Calls to every function that changes what the vault owes or holds. Each of them would succeed on its own.
    function everyCall() private view returns (bytes[] memory calls) {
        IVoucherVault.Redemption memory redemption = redemptionOf(10);
        redemption.codeHash = hashOf(creator, KEY + 1);
        redemption.nonce = 0;
        calls = new bytes[](7);
        calls[0] = abi.encodeCall(vault.redeem, (redemption, sign(KEY + 1, redemption)));
        calls[1] = abi.encodeCall(vault.close, (redemption.codeHash));
        calls[2] = abi.encodeCall(vault.createVoucher, (vm.addr(KEY + 2), 1, EXPIRY, false, false));
        calls[3] = abi.encodeCall(vault.createVouchers, (new address[](0), new uint128[](0), EXPIRY, false, false));
        calls[4] = abi.encodeCall(vault.skim, (stranger));
        calls[5] = abi.encodeCall(vault.pause, ());
        calls[6] = abi.encodeCall(vault.unpause, ());
    }

    // Tokens that behave

    function test_tokens_that_return_nothing_and_tokens_of_0_and_30_decimals_work() public {
        TestToken[3] memory tokens = [
            TestToken(new SilentToken("Silent", "USDT", 6)),
            new TestToken("Points", "PTS", 0),
            new TestToken("Fine", "FINE", 30)
        ];
        uint128[3] memory amounts = [uint128(1e12), 3, 1e38];
        for (uint256 i; i < tokens.length; ++i) {
            setUpVault(address(tokens[i]));
            fund(creator, amounts[i]);
            bytes32 codeHash = create(KEY, amounts[i], false, true);
            redeem(withFee(amounts[i] / 3, amounts[i] / 3));
            uint256 had = holds(creator);
            vm.prank(creator);
            vault.close(codeHash);
            vm.assertEq(holds(recipient), 1 + amounts[i] / 3, "recipient");
            vm.assertEq(holds(feeRecipient), 1 + amounts[i] / 3, "fee recipient");
            vm.assertEq(holds(creator), had + amounts[i] - 2 * (amounts[i] / 3), "creator");
            vm.assertEq(vault.liabilities(), 0, "liabilities");
            expectSolvent();
        }
    }

    // Tokens that lie

    function test_a_token_that_keeps_a_part_of_a_transfer_is_refused_when_a_voucher_is_created() public {
        setUpVault(address(new TaxedToken("Taxed", "TAX", 18)));
        expectNotCreated(IVoucherVault.PaymentInexact.selector);
    }

    function test_a_voucher_is_not_created_unless_the_vault_received_its_value() public {
        LyingToken token = new LyingToken();
        setUpVault(address(token));
        token.setLie(LyingToken.Lie.MOVES_NOTHING);
        expectNotCreated(IVoucherVault.PaymentInexact.selector);
        token.setLie(LyingToken.Lie.MOVES_MORE);
        expectNotCreated(IVoucherVault.PaymentInexact.selector);
        token.setLie(LyingToken.Lie.RETURNS_FALSE);
        expectNotCreated(IVoucherVault.TransferFailed.selector);
        token.setLie(LyingToken.Lie.RETURNS_FALSE_BUT_MOVES);
        expectNotCreated(IVoucherVault.TransferFailed.selector);
        token.setLie(LyingToken.Lie.REVERTS_WITHOUT_REASON);
        expectNotCreated(IVoucherVault.TransferFailed.selector);
        token.setLie(LyingToken.Lie.HIDES_BALANCES);
        vm.prank(creator);
        vm.expectRevert();
        vault.createVoucher(vm.addr(KEY), AMOUNT, EXPIRY, false, false);
    }

    function test_a_payment_that_the_token_does_not_confirm_is_undone() public {
        LyingToken token = new LyingToken();
        setUpVault(address(token));
        bytes32 codeHash = create(KEY, AMOUNT, false, true);
        LyingToken.Lie[5] memory lies = [
            LyingToken.Lie.RETURNS_FALSE,
            LyingToken.Lie.RETURNS_TWO,
            LyingToken.Lie.RETURNS_A_BYTE,
            LyingToken.Lie.RETURNS_FALSE_BUT_MOVES,
            LyingToken.Lie.REVERTS_WITHOUT_REASON
        ];
        for (uint256 i; i < lies.length; ++i) {
            token.setLie(lies[i]);
            expectRefused(redemptionOf(10), IVoucherVault.TransferFailed.selector);
            vm.prank(creator);
            vm.expectRevert(IVoucherVault.TransferFailed.selector);
            vault.close(codeHash);
        }
        token.setLie(LyingToken.Lie.NONE);
        redeem(redemptionOf(AMOUNT));
    }

    function test_a_token_that_disappeared_pays_nobody() public {
        TestToken token = new TestToken("Gone", "GONE", 18);
        setUpVault(address(token));
        create();
        bytes memory code = address(token).code;
        IVoucherVault.Redemption memory redemption = redemptionOf(10);
        bytes memory signature = sign(KEY, redemption);
        vm.etch(address(token), "");
        vm.prank(relayer);
        vm.expectRevert(IVoucherVault.TransferFailed.selector);
        vault.redeem(redemption, signature);
        vm.etch(address(token), code);
        redeem(redemption);
    }

    function test_nothing_is_skimmed_when_a_token_took_back_what_the_vault_held() public {
        LyingToken token = new LyingToken();
        setUpVault(address(token));
        create();
        token.destroy(address(vault), 400);
        vm.prank(owner);
        vm.assertEq(vault.skim(stranger), 0, "skimmed");
        redeem(redemptionOf(600));
        vm.assertEq(holds(recipient), 1 + 600, "recipient");
    }

    // Accounts that are blocked or refuse

    function test_a_blocked_recipient_blocks_only_its_own_redemption() public {
        BlockingToken token = new BlockingToken("Blocking", "USDC", 6);
        setUpVault(address(token));
        create();
        token.setBlocked(recipient, true);
        expectRefused(redemptionOf(100), IVoucherVault.TransferFailed.selector);
        IVoucherVault.Redemption memory redemption = redemptionOf(100);
        redemption.recipient = stranger;
        redeem(redemption);
        vm.assertEq(holds(stranger), 100, "another recipient");
        token.setBlocked(feeRecipient, true);
        redemption = withFee(100, 10);
        redemption.recipient = stranger;
        expectRefused(redemption, IVoucherVault.TransferFailed.selector);
        token.setBlocked(creator, true);
        vm.warp(EXPIRY + 1);
        vm.expectRevert(IVoucherVault.TransferFailed.selector);
        vault.close(redemption.codeHash);
        token.setBlocked(creator, false);
        vault.close(redemption.codeHash);
        expectSolvent();
    }

    function test_an_account_that_refuses_coin_or_burns_gas_stops_only_its_own_payment() public {
        setUpVault(address(0));
        create();
        HostileAccount account_ = new HostileAccount();
        HostileAccount.Mood[2] memory moods = [HostileAccount.Mood.REFUSES, HostileAccount.Mood.BURNS_GAS];
        for (uint256 i; i < moods.length; ++i) {
            account_.setMood(moods[i]);
            IVoucherVault.Redemption memory redemption = redemptionOf(100);
            redemption.recipient = address(account_);
            expectRefused(redemption, IVoucherVault.TransferFailed.selector);
        }
        redeem(redemptionOf(AMOUNT));
    }

    function test_what_a_recipient_returns_is_not_copied() public {
        setUpVault(address(0));
        create();
        HostileAccount account_ = new HostileAccount();
        account_.setMood(HostileAccount.Mood.ANSWERS_AT_LENGTH);
        IVoucherVault.Redemption memory redemption = redemptionOf(100);
        redemption.recipient = address(account_);
        bytes memory signature = sign(KEY, redemption);
        uint256 gas = gasleft();
        vault.redeem(redemption, signature);
        // The account itself needs 97,000 gas for memory. A copy would cost the same again.
        vm.assertTrue(gas - gasleft() < 180_000, "copied");
    }

    // Calls back

    function test_a_token_that_calls_back_is_refused_in_every_function() public {
        HookedToken token = new HookedToken();
        setUpVault(address(token));
        bytes32 codeHash = create(KEY, AMOUNT, false, true);
        create(KEY + 1, AMOUNT, false, false);
        give(address(vault), 50);
        vm.prank(owner);
        vault.transferOwnership(address(token));
        vm.prank(address(token));
        vault.acceptOwnership();

        token.aim(address(vault), everyCall());
        create(KEY + 3, AMOUNT, false, false);
        expectReentryRefused(token, 1);
        redeem(withFee(100, 10));
        expectReentryRefused(token, 3);
        vm.prank(creator);
        vault.close(codeHash);
        expectReentryRefused(token, 4);
        vm.prank(address(token));
        vault.skim(stranger);
        expectReentryRefused(token, 5);
        vm.assertEq(holds(stranger), 50, "skimmed");
        vm.assertTrue(!vault.isPaused(), "paused");
        expectSolvent();
    }

    function expectReentryRefused(HookedToken token, uint256 times) private view {
        vm.assertEq(token.attempts(), times * 7, "calls back");
        for (uint256 i; i < token.attempts(); ++i) {
            vm.assertEq(bytes32(token.errors(i)), bytes32(IVoucherVault.Reentered.selector), "not refused");
        }
    }

    function test_a_recipient_of_coin_that_calls_back_is_refused_and_receives_its_amount_once() public {
        setUpVault(address(0));
        create();
        create(KEY + 1, AMOUNT, false, false);
        give(address(vault), 50);
        HostileAccount account_ = new HostileAccount();
        vm.prank(owner);
        vault.transferOwnership(address(account_));
        account_.act(address(vault), 0, abi.encodeCall(vault.acceptOwnership, ()));
        bytes[] memory calls = everyCall();
        account_.aim(address(vault), calls);
        IVoucherVault.Redemption memory redemption = withFee(100, 10);
        redemption.recipient = address(account_);
        redeem(redemption);
        vm.assertEq(account_.attempts(), calls.length, "calls back");
        for (uint256 i; i < calls.length; ++i) {
            vm.assertEq(bytes32(account_.errors(i)), bytes32(IVoucherVault.Reentered.selector), "not refused");
        }
        vm.assertEq(address(account_).balance, 100, "received");
        vm.assertEq(address(vault).balance, vault.liabilities() + 50, "held and owed");
        // The guard is released: the next call works.
        redeem(redemptionOf(100));
    }

    function test_a_creator_that_calls_back_while_its_voucher_is_closed_is_paid_once() public {
        setUpVault(address(0));
        HostileAccount account_ = new HostileAccount();
        vm.deal(address(account_), AMOUNT);
        bytes memory data = abi.encodeCall(vault.createVoucher, (vm.addr(KEY), AMOUNT, EXPIRY, false, true));
        account_.act(address(vault), AMOUNT, data);
        create(KEY, AMOUNT, false, false);
        bytes[] memory calls = new bytes[](1);
        calls[0] = abi.encodeCall(vault.close, (hashOf(address(account_), KEY)));
        account_.aim(address(vault), calls);
        account_.act(address(vault), 0, calls[0]);
        vm.assertEq(bytes32(account_.errors(0)), bytes32(IVoucherVault.Reentered.selector), "not refused");
        vm.assertEq(address(account_).balance, AMOUNT, "received");
        expectSolvent();
    }
}
