// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Balances} from "../src/Balances.sol";
import {Test} from "./Test.sol";
import {TestToken} from "./local/TestToken.sol";

contract BalancesTest is Test {
    function read(address[] memory holders, address[] memory tokens) internal returns (uint256[] memory) {
        return abi.decode(address(new Balances(holders, tokens)).code, (uint256[]));
    }

    function test_coin_and_tokens_are_returned_for_each_holder_in_turn() public {
        TestToken token = new TestToken("Dollar", "USD", 6);
        address[] memory holders = new address[](2);
        (holders[0], holders[1]) = (account(1), account(2));
        vm.deal(account(1), 5);
        token.mint(account(2), 7);
        uint256[] memory balances = read(holders, listOf(address(token)));
        vm.assertEq(balances.length, 4, "length");
        vm.assertEq(balances[0], 5, "coin of the first");
        vm.assertEq(balances[1], 0, "token of the first");
        vm.assertEq(balances[2], 0, "coin of the second");
        vm.assertEq(balances[3], 7, "token of the second");
    }

    function test_an_address_without_code_is_not_mistaken_for_an_empty_balance() public {
        uint256[] memory balances = read(listOf(account(1)), listOf(account(3)));
        vm.assertEq(balances[1], type(uint256).max, "not returned");
    }
}
