// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IVoucherVault} from "../src/IVoucherVault.sol";
import {VoucherVault} from "../src/VoucherVault.sol";
import {Cheats, Test} from "./Test.sol";
import {TestToken} from "./local/TestToken.sol";

/// @dev Creates, signs and redeems vouchers of one vault, with coin or a token.
abstract contract VaultKit is Test {
    uint40 internal constant START = 1_800_000_000;
    uint40 internal constant EXPIRY = START + 365 days;
    uint40 internal constant DEADLINE = START + 1 hours;
    /// @dev Of secp256k1.
    uint256 internal constant ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
    bytes32 internal constant REF = keccak256("order 42");
    uint256 internal constant KEY = 0xc0de;
    uint128 internal constant AMOUNT = 1_000;

    address internal immutable owner = account(1);
    address internal immutable operator = account(2);
    address internal immutable creator = account(3);
    address internal immutable relayer = account(4);
    address internal immutable recipient = account(5);
    address internal immutable feeRecipient = account(6);
    address internal immutable stranger = account(7);

    VoucherVault internal vault;
    /// @dev Zero for coin.
    address internal asset;

    function setUpVault(address asset_) internal {
        vm.warp(START);
        asset = asset_;
        vault = deployVault();
        fund(creator, 1e30);
        // So that gas measurements do not include the creation of accounts.
        give(recipient, 1);
        give(feeRecipient, 1);
        vm.deal(relayer, 1 ether);
    }

    function deployVault() internal virtual returns (VoucherVault) {
        return new VoucherVault(asset, owner, operator);
    }

    /// @dev Adds to what a holder has.
    function give(address to, uint256 amount) internal {
        if (asset == address(0)) vm.deal(to, to.balance + amount);
        else TestToken(asset).mint(to, amount);
    }

    /// @dev Also allows the vault to take tokens.
    function fund(address from, uint256 amount) internal {
        give(from, amount);
        if (asset == address(0)) return;
        vm.prank(from);
        TestToken(asset).approve(address(vault), type(uint256).max);
    }

    function holds(address holder) internal view returns (uint256) {
        return asset == address(0) ? holder.balance : TestToken(asset).balanceOf(holder);
    }

    function valueOf(uint256 amount) internal view returns (uint256) {
        return asset == address(0) ? amount : 0;
    }

    function hashOf(address creator_, uint256 key) internal pure returns (bytes32) {
        return keccak256(abi.encode(creator_, vm.addr(key)));
    }

    function create(uint256 key, uint128 amount, bool isLocked, bool isRevocable) internal returns (bytes32) {
        vm.prank(creator);
        return vault.createVoucher{value: valueOf(amount)}(vm.addr(key), amount, EXPIRY, isLocked, isRevocable);
    }

    /// @dev The voucher of `KEY`, worth `AMOUNT`.
    function create() internal returns (bytes32) {
        return create(KEY, AMOUNT, false, false);
    }

    function createMany(uint256 count, uint128 amount) internal {
        (address[] memory keys, uint128[] memory amounts) = (new address[](count), new uint128[](count));
        for (uint256 i; i < count; ++i) {
            (keys[i], amounts[i]) = (vm.addr(KEY + 1 + i), amount);
        }
        vm.prank(creator);
        vault.createVouchers{value: valueOf(count * amount)}(keys, amounts, EXPIRY, false, true);
    }

    /// @dev A redemption of the voucher of `KEY`, without a fee.
    function redemptionOf(uint128 amount) internal view returns (IVoucherVault.Redemption memory redemption) {
        redemption.codeHash = hashOf(creator, KEY);
        redemption.recipient = recipient;
        redemption.amount = amount;
        redemption.nonce = vault.getVoucher(redemption.codeHash).nonce;
        redemption.deadline = DEADLINE;
        redemption.ref = REF;
    }

    function withFee(uint128 amount, uint128 fee) internal view returns (IVoucherVault.Redemption memory redemption) {
        redemption = redemptionOf(amount);
        (redemption.fee, redemption.feeRecipient) = (fee, feeRecipient);
    }

    function sign(uint256 key, IVoucherVault.Redemption memory redemption) internal view returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, vault.digestOf(redemption));
        return abi.encodePacked(r, s, v);
    }

    function redeem(IVoucherVault.Redemption memory redemption) internal {
        bytes memory signature = sign(KEY, redemption);
        vm.prank(relayer);
        vault.redeem(redemption, signature);
    }

    /// @dev Nothing moves, because the vault refuses with this error.
    function expectRefused(IVoucherVault.Redemption memory redemption, bytes memory signature, bytes4 selector)
        internal
    {
        uint256 held = holds(address(vault));
        bytes32 state = keccak256(abi.encode(vault.getVoucher(redemption.codeHash)));
        vm.prank(relayer);
        vm.expectRevert(selector);
        vault.redeem(redemption, signature);
        vm.assertEq(holds(address(vault)), held, "the vault paid");
        vm.assertEq(keccak256(abi.encode(vault.getVoucher(redemption.codeHash))), state, "the voucher changed");
    }

    function expectRefused(IVoucherVault.Redemption memory redemption, bytes4 selector) internal {
        expectRefused(redemption, sign(KEY, redemption), selector);
    }

    /// @dev The only event of the vault since logs were recorded.
    function readEvent() internal returns (Cheats.Log memory found) {
        Cheats.Log[] memory logs = vm.getRecordedLogs();
        uint256 count;
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].emitter != address(vault)) continue;
            found = logs[i];
            count += 1;
        }
        vm.assertEq(count, 1, "events");
    }

    /// @dev The vault holds exactly what it owes.
    function expectSolvent() internal view {
        vm.assertEq(holds(address(vault)), vault.liabilities(), "held and owed");
    }
}
