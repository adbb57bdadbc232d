// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Coin or a token, as one kind of asset
/// @dev The zero address stands for coin. Return data beyond the first word is not copied: a recipient could make it
/// expensive.
library Asset {
    /// @notice What the calling contract holds.
    function held(address asset) internal view returns (uint256 amount) {
        if (asset == address(0)) return address(this).balance;
        bytes memory data = abi.encodeWithSelector(0x70a08231, address(this)); // balanceOf(address)
        assembly ("memory-safe") {
            let isDone := staticcall(gas(), asset, add(data, 32), mload(data), 0, 32)
            if or(iszero(isDone), lt(returndatasize(), 32)) { revert(0, 0) }
            amount := mload(0)
        }
    }

    /// @notice Moves tokens from another account, which has allowed it.
    /// @return isDone What the token reports. The caller measures what arrived.
    function pull(address token, address from, uint256 amount) internal returns (bool isDone) {
        // transferFrom(address,address,uint256)
        return _callToken(token, abi.encodeWithSelector(0x23b872dd, from, address(this), amount));
    }

    /// @notice Sends coin or tokens.
    function send(address asset, address to, uint256 amount) internal returns (bool isDone) {
        if (asset != address(0)) {
            // transfer(address,uint256)
            return _callToken(asset, abi.encodeWithSelector(0xa9059cbb, to, amount));
        }
        assembly ("memory-safe") {
            isDone := call(gas(), to, amount, 0, 0, 0, 0)
        }
    }

    /// @dev Some tokens, such as USDT on Ethereum, return nothing. A call to an address without code succeeds as well.
    function _callToken(address token, bytes memory data) private returns (bool isDone) {
        assembly ("memory-safe") {
            isDone := call(gas(), token, 0, add(data, 32), mload(data), 0, 32)
            switch returndatasize()
            case 0 { isDone := and(isDone, gt(extcodesize(token), 0)) }
            default { isDone := and(isDone, and(gt(returndatasize(), 31), eq(mload(0), 1))) }
        }
    }
}
