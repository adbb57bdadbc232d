// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {DepositFactory} from "../src/DepositFactory.sol";
import {IDepositFactory} from "../src/IDepositFactory.sol";
import {LastingDepositFactory} from "../src/LastingDepositFactory.sol";
import {Cheats, Test} from "./Test.sol";
import {BlockingToken} from "./local/TestToken.sol";

/// @dev Any caller pays and sweeps in any order, for existing treasuries and for itself.
contract Anybody is Test {
    uint256 public constant TREASURIES = 3;
    uint256 public constant SALTS = 4;
    uint256 public constant CALLERS = 5;

    IDepositFactory public immutable factory;
    BlockingToken public immutable token;
    /// @dev By treasury, then by token or zero for coin.
    mapping(address => mapping(address => uint256)) public paid;
    mapping(address => mapping(address => uint256)) public swept;
    uint256 public sweeps;

    constructor(IDepositFactory factory_, BlockingToken token_) {
        (factory, token) = (factory_, token_);
    }

    function treasuryAt(uint256 number) public pure returns (address) {
        return account(number % TREASURIES);
    }

    function callerAt(uint256 number) public pure returns (address) {
        return account(100 + number % CALLERS);
    }

    function depositAt(uint256 treasury, uint256 salt) public view returns (address) {
        return factory.addressOf(treasuryAt(treasury), bytes32(salt % SALTS));
    }

    function payCoin(uint256 treasury, uint256 salt, uint96 more) external {
        // Only a payment above zero comes with the stipend of 2,300 gas.
        uint256 amount = uint256(more) + 1;
        vm.deal(address(this), amount);
        (bool isPaid,) = depositAt(treasury, salt).call{value: amount, gas: 0}("");
        vm.assertTrue(isPaid, "a deposit address refused coin");
        paid[treasuryAt(treasury)][address(0)] += amount;
    }

    function payToken(uint256 treasury, uint256 salt, uint96 amount) external {
        token.mint(depositAt(treasury, salt), amount);
        paid[treasuryAt(treasury)][address(token)] += amount;
    }

    function blockToken(uint256 treasury, uint256 salt, bool isBlocked) external {
        token.setBlocked(depositAt(treasury, salt), isBlocked);
    }

    function sweep(uint256 caller, uint256 treasury, uint256 salt, uint256 count, bool isWithToken) external {
        _sweep(callerAt(caller), treasuryAt(treasury), salt, count, isWithToken);
    }

    function sweepForOneself(uint256 caller, uint256 salt, uint256 count) external {
        _sweep(callerAt(caller), callerAt(caller), salt, count, true);
    }

    function _sweep(address caller, address treasury, uint256 salt, uint256 count, bool isWithToken) private {
        bytes32[] memory salts = new bytes32[](1 + count % SALTS);
        for (uint256 i; i < salts.length; ++i) {
            salts[i] = bytes32((salt % SALTS + i) % SALTS);
        }
        vm.recordLogs();
        vm.prank(caller);
        factory.sweep(treasury, salts, isWithToken ? listOf(address(token)) : listOf());
        sweeps += 1;
        Cheats.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].emitter != address(factory) || logs[i].topics[0] != IDepositFactory.Swept.selector) continue;
            (, uint256 amount) = abi.decode(logs[i].data, (address, uint256));
            swept[address(uint160(uint256(logs[i].topics[1])))][address(uint160(uint256(logs[i].topics[3])))] += amount;
        }
    }
}

abstract contract AnybodyTest is Test {
    Anybody internal anybody;
    BlockingToken internal token;

    function createFactory() internal virtual returns (IDepositFactory);

    function setUp() public {
        token = new BlockingToken("Dollar", "USD", 6);
        anybody = new Anybody(createFactory(), token);
    }

    function targetContracts() external view returns (address[] memory) {
        return listOf(address(anybody));
    }

    function invariant_every_payment_is_at_its_treasury_or_its_deposit_address() external view {
        for (uint256 i; i < anybody.TREASURIES(); ++i) {
            address treasury = anybody.treasuryAt(i);
            (uint256 coin, uint256 tokens) = (treasury.balance, token.balanceOf(treasury));
            vm.assertEq(anybody.swept(treasury, address(0)), coin, "events report all coin received");
            vm.assertEq(anybody.swept(treasury, address(token)), tokens, "events report all tokens received");
            for (uint256 j; j < anybody.SALTS(); ++j) {
                coin += anybody.depositAt(i, j).balance;
                tokens += token.balanceOf(anybody.depositAt(i, j));
            }
            vm.assertEq(coin, anybody.paid(treasury, address(0)), "coin");
            vm.assertEq(tokens, anybody.paid(treasury, address(token)), "tokens");
        }
    }

    function invariant_only_treasuries_ever_receive() external view {
        for (uint256 i; i < anybody.CALLERS(); ++i) {
            address caller = anybody.callerAt(i);
            vm.assertEq(caller.balance + token.balanceOf(caller), 0, "a caller");
        }
        address factory = address(anybody.factory());
        vm.assertEq(factory.balance + token.balanceOf(factory), 0, "the factory");
    }
}

/// forge-config: default.isolate = false
contract EphemeralAnybodyTest is AnybodyTest {
    function createFactory() internal override returns (IDepositFactory) {
        return new DepositFactory();
    }

    function invariant_no_deposit_address_ever_holds_code() external view {
        for (uint256 i; i < anybody.TREASURIES() * anybody.SALTS(); ++i) {
            address deposit = anybody.depositAt(i, i / anybody.TREASURIES());
            vm.assertEq(deposit.code.length + vm.getNonce(deposit), 0, "code or nonce");
        }
    }
}

/// forge-config: default.isolate = false
contract LastingAnybodyTest is AnybodyTest {
    function createFactory() internal override returns (IDepositFactory) {
        return new LastingDepositFactory();
    }
}
