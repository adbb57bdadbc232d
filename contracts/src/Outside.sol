// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IDepositFactory} from "./IDepositFactory.sol";

/// @title Calls to untrusted contracts
/// @dev Return data is not copied: 300 KB of it would otherwise cost the caller as much gas as the callee.
library Outside {
    /// @dev `IDepositFactory.sweep` explains this amount.
    uint256 internal constant CALL_GAS = 250_000;

    /// @notice Moves the given amounts of tokens of the calling contract. Any transfer may fail.
    function moveTokens(address treasury, address[] memory tokens, uint256[] memory amounts, uint256 callGas) internal {
        for (uint256 i; i < tokens.length; ++i) {
            if (amounts[i] == 0) continue;
            // transfer(address,uint256)
            _attempt(tokens[i], 0, abi.encodeWithSelector(0xa9059cbb, treasury, amounts[i]), callGas);
        }
    }

    /// @notice Moves all coin of the calling contract, or reverts if the treasury refuses it.
    function moveCoin(address treasury, uint256 callGas) internal {
        uint256 coin = address(this).balance;
        if (coin != 0 && !_attempt(treasury, coin, "", callGas)) revert IDepositFactory.CoinRefused();
    }

    /// @notice The balance of a holder. `isTold` is false if the token does not return one.
    function balanceOf(address token, address holder, uint256 callGas)
        internal
        view
        returns (bool isTold, uint256 amount)
    {
        _requireGas();
        bytes memory data = abi.encodeWithSelector(0x70a08231, holder); // balanceOf(address)
        assembly ("memory-safe") {
            isTold := staticcall(callGas, token, add(data, 32), mload(data), 0, 32)
            // A call to an address without code succeeds, but returns nothing.
            if lt(returndatasize(), 32) { isTold := 0 }
            if isTold { amount := mload(0) }
        }
    }

    function _attempt(address to, uint256 value, bytes memory data, uint256 callGas) private returns (bool isDone) {
        _requireGas();
        assembly ("memory-safe") {
            isDone := call(callGas, to, value, add(data, 32), mload(data), 0, 0)
        }
    }

    /// @dev A call gets at most 63/64 of the remaining gas, without an error.
    function _requireGas() private view {
        if (gasleft() - gasleft() / 64 < CALL_GAS) revert IDepositFactory.GasTooLow();
    }
}
