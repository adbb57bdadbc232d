// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Balances} from "../src/Balances.sol";
import {Test} from "./Test.sol";
import {TestToken} from "./local/TestToken.sol";

contract BalancesTest is Test {
    function ask(address[] memory holders, address[] memory tokens) internal returns (uint256[] memory) {
        return abi.decode(address(new Balances(holders, tokens)).code, (uint256[]));
    }

    function test_coin_and_tokens_are_told_for_each_holder_in_turn() public {
        TestToken token = new TestToken("Dollar", "USD", 6);
        address[] memory holders = new address[](2);
        (holders[0], holders[1]) = (person(1), person(2));
        vm.deal(person(1), 5);
        token.mint(person(2), 7);
        uint256[] memory told = ask(holders, listOf(address(token)));
        vm.assertEq(told.length, 4, "length");
        vm.assertEq(told[0], 5, "coin of the first");
        vm.assertEq(told[1], 0, "token of the first");
        vm.assertEq(told[2], 0, "coin of the second");
        vm.assertEq(told[3], 7, "token of the second");
    }

    function test_what_is_no_token_is_not_taken_for_an_empty_one() public {
        uint256[] memory told = ask(listOf(person(1)), listOf(person(3)));
        vm.assertEq(told[1], type(uint256).max, "not told");
    }
}
