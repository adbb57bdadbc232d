// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Many balances in one call
/// @notice Never deployed: a node runs it for `eth_call` and returns its result in place of a contract's code.
/// @dev The result may be as long as code may be, 24,576 bytes, which is 766 balances.
contract Balances {
    /// @param holders The accounts.
    /// @param tokens The tokens. The balance of the network's coin is always included.
    constructor(address[] memory holders, address[] memory tokens) {
        uint256 width = tokens.length + 1;
        uint256[] memory told = new uint256[](holders.length * width);
        for (uint256 i = 0; i < holders.length; ++i) {
            told[i * width] = holders[i].balance;
            for (uint256 j = 0; j < tokens.length; ++j) {
                told[i * width + j + 1] = balanceOf(tokens[j], holders[i]);
            }
        }
        bytes memory answer = abi.encode(told);
        assembly {
            return(add(answer, 32), mload(answer))
        }
    }

    /// @dev The highest number if a token does not return a balance.
    function balanceOf(address token, address holder) private view returns (uint256) {
        (bool isTold, bytes memory answer) = token.staticcall(abi.encodeWithSignature("balanceOf(address)", holder));
        return isTold && answer.length == 32 ? abi.decode(answer, (uint256)) : type(uint256).max;
    }
}
