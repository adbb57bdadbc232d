// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {DepositFactory} from "../src/DepositFactory.sol";
import {IDepositFactory} from "../src/IDepositFactory.sol";
import {LastingDepositFactory} from "../src/LastingDepositFactory.sol";
import {Cheats, Test} from "./Test.sol";
import {RefillingToken, TestToken} from "./local/TestToken.sol";

/// @dev A token whose transfer refills the address that is being swept. The factory's event then reports too little. The other
/// token's own logs are complete, and the platform counts these.
abstract contract HooksTest is Test {
    bytes32 internal constant SALT = keccak256("invoice 1");
    bytes32 internal constant TRANSFER = keccak256("Transfer(address,address,uint256)");
    address internal immutable treasury = account(1);
    IDepositFactory internal factory;
    TestToken internal token;
    RefillingToken internal refilling;
    address internal deposit;

    function createFactory() internal virtual returns (IDepositFactory);

    function setUp() public {
        factory = createFactory();
        token = new TestToken("Dollar", "USD", 6);
        refilling = new RefillingToken(token);
        deposit = factory.addressOf(treasury, SALT);
    }

    function testFuzz_logs_of_a_token_report_all_that_the_treasury_received(uint96 paid, uint96 hoard, uint96 part)
        public
    {
        token.mint(deposit, paid);
        token.mint(address(refilling), hoard);
        refilling.aim(deposit, part);
        vm.recordLogs();
        vm.prank(account(2));
        factory.sweep(treasury, listOf(SALT), listOf(address(token), address(refilling)));
        uint256 logged = sumLogged();
        vm.assertEq(logged, token.balanceOf(treasury), "logged");
        uint256 refilled = uint256(hoard) - token.balanceOf(address(refilling));
        vm.assertEq(token.balanceOf(deposit), uint256(paid) + refilled - logged, "left at the address");
    }

    /// @dev The sum of the token's transfers from the address to the treasury, according to its logs.
    function sumLogged() private returns (uint256 sum) {
        bytes32 from = bytes32(uint256(uint160(deposit)));
        bytes32 to = bytes32(uint256(uint160(treasury)));
        Cheats.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].emitter != address(token) || logs[i].topics[0] != TRANSFER) continue;
            if (logs[i].topics[1] == from && logs[i].topics[2] == to) sum += abi.decode(logs[i].data, (uint256));
        }
    }
}

/// forge-config: default.isolate = false
contract EphemeralHooksTest is HooksTest {
    function createFactory() internal override returns (IDepositFactory) {
        return new DepositFactory();
    }
}

/// forge-config: default.isolate = false
contract LastingHooksTest is HooksTest {
    function createFactory() internal override returns (IDepositFactory) {
        return new LastingDepositFactory();
    }
}
