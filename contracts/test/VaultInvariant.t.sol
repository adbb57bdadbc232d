// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IVoucherVault} from "../src/IVoucherVault.sol";
import {VaultKit} from "./VaultKit.sol";
import {TestToken} from "./local/TestToken.sol";

/// @dev Anyone uses a vault in any order. Calls that the vault must refuse are made as well, and must be refused.
contract VaultUsers is VaultKit {
    bytes32[] public hashes;
    mapping(bytes32 codeHash => uint256) public keys;
    mapping(bytes32 codeHash => address) public creators;
    uint256 public paidIn;
    uint256 public paidOut;
    uint256 public donated;
    uint256 public skimmed;

    constructor(bool isToken) {
        setUpVault(isToken ? address(new TestToken("Dollar", "USD", 6)) : address(0));
    }

    function vaultAddress() external view returns (IVoucherVault) {
        return vault;
    }

    function held() external view returns (uint256) {
        return holds(address(vault));
    }

    function count() external view returns (uint256) {
        return hashes.length;
    }

    function createVoucher(uint256 who, uint128 more, uint256 validity, bool isLocked, bool isRevocable) external {
        if (vault.isPaused()) return;
        (address from, uint128 amount) = (account(20 + who % 3), uint128(bound(more, 1, 1e24)));
        uint40 expiry = uint40(block.timestamp + bound(validity, 1, 30 days));
        fund(from, amount);
        vm.prank(from);
        bytes32 codeHash = vault.createVoucher{value: valueOf(amount)}(
            vm.addr(KEY + hashes.length), amount, expiry, isLocked, isRevocable
        );
        _remember(codeHash, from, amount);
    }

    function createVouchers(uint256 who, uint128 more, uint256 number) external {
        if (vault.isPaused()) return;
        address from = account(20 + who % 3);
        number = bound(number, 0, 4);
        (address[] memory keys_, uint128[] memory amounts) = (new address[](number), new uint128[](number));
        uint256 total;
        for (uint256 i; i < number; ++i) {
            (keys_[i], amounts[i]) = (vm.addr(KEY + hashes.length + i), uint128(bound(more, 1 + i, 1e24)));
            total += amounts[i];
        }
        fund(from, total);
        uint40 expiry = uint40(block.timestamp + 10 days);
        vm.prank(from);
        vault.createVouchers{value: valueOf(total)}(keys_, amounts, expiry, false, true);
        for (uint256 i; i < number; ++i) {
            _remember(hashOf(from, KEY + hashes.length), from, amounts[i]);
        }
    }

    function redeemVoucher(uint256 which, uint128 amount, uint128 fee, bool isOperator) external {
        if (hashes.length == 0) return;
        IVoucherVault.Redemption memory redemption;
        redemption.codeHash = hashes[which % hashes.length];
        IVoucherVault.Voucher memory voucher = vault.getVoucher(redemption.codeHash);
        (redemption.recipient, redemption.feeRecipient) = (recipient, feeRecipient);
        // Sometimes more than there is.
        redemption.amount = uint128(bound(amount, 0, uint256(voucher.balance) + 1));
        redemption.fee = uint128(bound(fee, 0, voucher.balance / 4));
        (redemption.nonce, redemption.deadline) = (voucher.nonce, uint40(block.timestamp));
        uint256 total = uint256(redemption.amount) + redemption.fee;
        bool isAllowed = !vault.isPaused() && redemption.amount != 0 && total <= voucher.balance
            && block.timestamp <= voucher.expiry && (!voucher.isLocked || isOperator);
        bytes memory signature = sign(keys[redemption.codeHash], redemption);
        for (uint256 i; i < 2; ++i) {
            vm.prank(isOperator ? operator : stranger);
            (bool isDone,) = address(vault).call(abi.encodeCall(vault.redeem, (redemption, signature)));
            // The second time is a replay.
            vm.assertTrue(isDone == (isAllowed && i == 0), "redeem");
        }
        if (isAllowed) paidOut += total;
    }

    function closeVoucher(uint256 which, bool isCreator) external {
        if (hashes.length == 0) return;
        bytes32 codeHash = hashes[which % hashes.length];
        IVoucherVault.Voucher memory voucher = vault.getVoucher(codeHash);
        bool isAllowed =
            voucher.balance != 0 && (block.timestamp > voucher.expiry || (isCreator && voucher.isRevocable));
        vm.prank(isCreator ? creators[codeHash] : stranger);
        (bool isDone,) = address(vault).call(abi.encodeCall(vault.close, (codeHash)));
        vm.assertTrue(isDone == isAllowed, "close");
        if (isDone) paidOut += voucher.balance;
    }

    function donate(uint64 amount) external {
        give(address(vault), amount);
        donated += amount;
    }

    function skim(bool isOwner) external {
        if (isOwner) {
            vm.prank(owner);
            skimmed += vault.skim(account(30));
            return;
        }
        vm.prank(stranger);
        vm.expectRevert(IVoucherVault.NotOwner.selector);
        vault.skim(stranger);
    }

    function pauseOrUnpause(bool isPause) external {
        vm.prank(owner);
        if (isPause) vault.pause();
        else vault.unpause();
    }

    /// @dev Half of all runs are paused otherwise.
    function unpause() external {
        vm.prank(owner);
        vault.unpause();
    }

    function wait(uint256 time) external {
        vm.warp(block.timestamp + bound(time, 1, 5 days));
    }

    function _remember(bytes32 codeHash, address from, uint256 amount) private {
        vm.assertEq(codeHash, hashOf(from, KEY + hashes.length), "hash");
        (keys[codeHash], creators[codeHash]) = (KEY + hashes.length, from);
        hashes.push(codeHash);
        paidIn += amount;
    }
}

abstract contract VaultInvariantTest is VaultKit {
    VaultUsers internal users;

    function targetContracts() external view returns (address[] memory) {
        return listOf(address(users));
    }

    function invariant_the_vault_holds_what_it_owes_and_owes_the_sum_of_all_balances() external view {
        IVoucherVault vault_ = users.vaultAddress();
        uint256 owed;
        for (uint256 i; i < users.count(); ++i) {
            IVoucherVault.Voucher memory voucher = vault_.getVoucher(users.hashes(i));
            owed += voucher.balance;
            vm.assertGe(voucher.value, voucher.balance, "more than was paid in");
            vm.assertEq(voucher.creator, users.creators(users.hashes(i)), "creator");
        }
        vm.assertEq(vault_.liabilities(), owed, "liabilities and the sum of balances");
        vm.assertGe(users.held(), owed, "held and owed");
        vm.assertEq(users.paidIn() - users.paidOut(), owed, "paid in and out");
        vm.assertEq(users.held(), owed + users.donated() - users.skimmed(), "held, owed and donated");
    }
}

/// forge-config: default.isolate = false
contract CoinVaultInvariantTest is VaultInvariantTest {
    function setUp() public {
        users = new VaultUsers(false);
    }
}

/// forge-config: default.isolate = false
contract TokenVaultInvariantTest is VaultInvariantTest {
    function setUp() public {
        users = new VaultUsers(true);
    }
}
