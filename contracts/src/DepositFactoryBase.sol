// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IDepositFactory} from "./IDepositFactory.sol";
import {Outside} from "./Outside.sol";

/// @title What both factories share: addresses, balances, events
abstract contract DepositFactoryBase is IDepositFactory {
    /// @dev What is the same for all deposit addresses of a sweep.
    struct Sweep {
        address treasury;
        bytes initCode;
        bytes32 initCodeHash;
        address[] tokens;
        uint256 callGas;
    }

    /// @inheritdoc IDepositFactory
    function addressOf(address treasury, bytes32 salt) external view returns (address) {
        return _addressOf(keccak256(_initCode(treasury)), salt);
    }

    /// @dev The code that creates the contract at a deposit address. It contains the treasury.
    function _initCode(address treasury) internal pure virtual returns (bytes memory);

    /// @dev Moves the amounts and all coin from `deposit` to the treasury.
    /// @return isDone False if the treasury refused coin and nothing moved. Any other failure reverts.
    function _move(Sweep memory all, bytes32 salt, address deposit, uint256[] memory amounts)
        internal
        virtual
        returns (bool isDone);

    function _sweep(address treasury, bytes32[] calldata salts, address[] calldata tokens) internal {
        if (treasury == address(0)) revert TreasuryMissing();
        address previous;
        for (uint256 i; i < tokens.length; ++i) {
            if (tokens[i] <= previous) revert TokensUnsorted();
            previous = tokens[i];
        }
        bytes memory initCode = _initCode(treasury);
        // In a sweep of one address, a token may use all gas: no asset is out of reach because it is expensive.
        uint256 callGas = salts.length == 1 ? type(uint256).max : Outside.CALL_GAS;
        Sweep memory all = Sweep(treasury, initCode, keccak256(initCode), tokens, callGas);
        for (uint256 i; i < salts.length; ++i) {
            _sweepOne(all, salts[i]);
        }
    }

    function _sweepOne(Sweep memory all, bytes32 salt) private {
        address deposit = _addressOf(all.initCodeHash, salt);
        uint256 coin = deposit.balance;
        bool isAny = coin != 0;
        uint256[] memory amounts = new uint256[](all.tokens.length);
        for (uint256 i; i < amounts.length; ++i) {
            bool isTold;
            (isTold, amounts[i]) = Outside.balanceOf(all.tokens[i], deposit, all.callGas);
            if (!isTold) emit SweepFailed(all.treasury, salt, all.tokens[i], deposit, 0);
            if (amounts[i] != 0) isAny = true;
        }
        if (!isAny) return;

        bool isDone = _move(all, salt, deposit, amounts);

        for (uint256 i; i < amounts.length; ++i) {
            if (amounts[i] == 0) continue;
            (bool isTold, uint256 left) = Outside.balanceOf(all.tokens[i], deposit, all.callGas);
            _tell(all.treasury, salt, all.tokens[i], deposit, amounts[i], isTold && isDone ? left : amounts[i]);
        }
        if (coin != 0) _tell(all.treasury, salt, address(0), deposit, coin, isDone ? deposit.balance : coin);
    }

    function _tell(address treasury, bytes32 salt, address token, address deposit, uint256 before, uint256 left)
        private
    {
        if (left < before) emit Swept(treasury, salt, token, deposit, before - left);
        else emit SweepFailed(treasury, salt, token, deposit, before);
    }

    function _addressOf(bytes32 initCodeHash, bytes32 salt) private view returns (address) {
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", address(this), salt, initCodeHash)))));
    }

    /// @dev A treasury that refuses coin is reported as an event. Everything else reverts: too little gas, or an address that
    /// is taken, which happens on a network that does not remove a destroyed contract.
    function _requireCoinRefused(bytes memory answer) internal pure {
        // The cast cuts nothing off, because the length is compared first.
        // forge-lint: disable-next-line(unsafe-typecast)
        if (answer.length == 4 && bytes4(answer) == CoinRefused.selector) return;
        assembly ("memory-safe") {
            revert(add(answer, 32), mload(answer))
        }
    }
}
