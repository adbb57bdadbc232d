// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {DepositFactory} from "../src/DepositFactory.sol";
import {IDepositFactory} from "../src/IDepositFactory.sol";
import {LastingDepositFactory} from "../src/LastingDepositFactory.sol";
import {StipendPayer} from "./Sick.sol";
import {Test} from "./Test.sol";
import {TestToken} from "./local/TestToken.sol";

/// @dev The state of an address after a sweep. The sweep is in `setUp`, which forge ends as a transaction: forge's isolated
/// calls would leave traces of destroyed contracts that no network shows.
abstract contract SweptTest is Test {
    bytes32 internal constant SALT = keccak256("invoice 1");
    address internal immutable treasury = account(1);
    IDepositFactory internal factory;
    TestToken internal token;
    StipendPayer internal payer;
    address internal deposit;

    function createFactory() internal virtual returns (IDepositFactory);

    function setUp() public {
        factory = createFactory();
        token = new TestToken("Dollar", "USD", 6);
        payer = new StipendPayer();
        deposit = factory.addressOf(treasury, SALT);
        payBoth(5);
        vm.prank(account(2));
        factory.sweep(treasury, listOf(SALT), listOf(address(token)));
    }

    function payBoth(uint256 amount) internal {
        vm.assertTrue(payer.pay{value: amount}(deposit), "refused");
        token.mint(deposit, amount);
    }

    function test_a_swept_address_accepts_a_payment_with_the_stipend_of_2300_gas_and_is_swept_again() public {
        payBoth(9);
        vm.assertEq(deposit.balance, 9, "paid");
        factory.sweep(treasury, listOf(SALT), listOf(address(token)));
        vm.assertEq(treasury.balance, 14, "coin of the treasury");
        vm.assertEq(token.balanceOf(treasury), 14, "tokens of the treasury");
        vm.assertEq(deposit.balance + token.balanceOf(deposit), 0, "left behind");
    }
}

/// forge-config: default.isolate = false
contract EphemeralSweptTest is SweptTest {
    function createFactory() internal override returns (IDepositFactory) {
        return new DepositFactory();
    }

    function test_a_swept_address_has_no_trace_of_a_contract() public view {
        vm.assertEq(deposit.code.length, 0, "code");
        vm.assertEq(vm.getNonce(deposit), 0, "nonce");
        vm.assertTrue(deposit.codehash == bytes32(0), "existence");
    }
}

/// forge-config: default.isolate = false
contract LastingSweptTest is SweptTest {
    function createFactory() internal override returns (IDepositFactory) {
        return new LastingDepositFactory();
    }
}
