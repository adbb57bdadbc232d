// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {DepositFactoryBase} from "./DepositFactoryBase.sol";
import {IDepositFactory} from "./IDepositFactory.sol";
import {Outside} from "./Outside.sol";

/// @title Exists at a deposit address for one transaction
/// @dev Its constructor moves everything and destroys the contract, which EIP-6780 allows: the address never holds code and
/// keeps accepting payments with 21,000 gas. It reads its order from the factory, because constructor arguments would
/// change the address.
contract Sweeper {
    constructor(address treasury) {
        (address[] memory tokens, uint256[] memory amounts, uint256 callGas) = DepositFactory(msg.sender).order();
        Outside.moveTokens(treasury, tokens, amounts, callGas);
        // Only a contract can refuse coin, so only a contract is called. That saves 6,700 gas for other treasuries.
        if (treasury.code.length != 0) Outside.moveCoin(treasury, callGas);
        // Sends the rest. Naming the contract itself here would burn it.
        selfdestruct(payable(treasury));
    }
}

/// @title Deposit addresses that never hold code
/// @dev Needs Cancun: transient storage, and SELFDESTRUCT as in EIP-6780 or before. The self-test at deployment finds out
/// whether a network really removes the sweeper. Coin that is sent to a deposit address after its sweep, in the same
/// transaction, is removed with the sweeper: balances show what was paid, traces do not.
contract DepositFactory is DepositFactoryBase {
    bool private transient _isSweeping;
    uint256 private transient _callGas;

    /// @dev The transient slots of the amounts to move. Those of the tokens follow.
    uint256 private constant AMOUNTS = 1 << 128;
    uint256 private constant TOKENS = 2 << 128;

    /// @inheritdoc IDepositFactory
    function sweep(address treasury, bytes32[] calldata salts, address[] calldata tokens) external {
        if (_isSweeping) revert Reentered();
        _isSweeping = true;
        _sweep(treasury, salts, tokens);
        _isSweeping = false;
    }

    /// @notice What the sweeper under creation must move. Meaningless at any other time.
    function order() external view returns (address[] memory tokens, uint256[] memory amounts, uint256 callGas) {
        uint256 count;
        assembly ("memory-safe") {
            count := tload(AMOUNTS)
        }
        tokens = new address[](count);
        amounts = new uint256[](count);
        for (uint256 i = 1; i <= count; ++i) {
            assembly ("memory-safe") {
                mstore(add(amounts, mul(i, 32)), tload(add(AMOUNTS, i)))
                mstore(add(tokens, mul(i, 32)), tload(add(TOKENS, i)))
            }
        }
        callGas = _callGas;
    }

    function _move(Sweep memory all, bytes32 salt, address, uint256[] memory amounts)
        internal
        override
        returns (bool isDone)
    {
        _place(all, amounts);
        bytes memory initCode = all.initCode;
        bytes memory answer;
        assembly ("memory-safe") {
            isDone := iszero(iszero(create2(0, add(initCode, 32), mload(initCode), salt)))
            if iszero(isDone) {
                answer := mload(0x40)
                mstore(answer, returndatasize())
                returndatacopy(add(answer, 32), 0, returndatasize())
                mstore(0x40, add(answer, and(add(returndatasize(), 63), not(31))))
            }
        }
        if (!isDone) _requireCoinRefused(answer);
    }

    function _initCode(address treasury) internal pure override returns (bytes memory) {
        return abi.encodePacked(type(Sweeper).creationCode, abi.encode(treasury));
    }

    function _place(Sweep memory all, uint256[] memory amounts) private {
        address[] memory tokens = all.tokens;
        _callGas = all.callGas;
        for (uint256 i; i <= tokens.length; ++i) {
            assembly ("memory-safe") {
                // Slot 0 of each holds the length.
                tstore(add(AMOUNTS, i), mload(add(amounts, mul(i, 32))))
                tstore(add(TOKENS, i), mload(add(tokens, mul(i, 32))))
            }
        }
    }
}
