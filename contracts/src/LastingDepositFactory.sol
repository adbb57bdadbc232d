// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {DepositFactoryBase} from "./DepositFactoryBase.sol";
import {IDepositFactory} from "./IDepositFactory.sol";
import {Outside} from "./Outside.sol";

/// @title Remains at a deposit address from its first sweep on
/// @dev It accepts coin with 2,300 gas, but no longer in a payment with 21,000 gas. A proxy of 45 bytes would be cheaper to
/// create and accept neither, because the jump to its code alone costs 2,600.
contract Deposit {
    address private immutable _treasury;
    address private immutable _factory;

    constructor(address treasury) {
        _treasury = treasury;
        _factory = msg.sender;
    }

    receive() external payable {}

    /// @notice Moves everything to the treasury. Only the factory may call it, so that nothing moves without an event.
    function move(address[] calldata tokens, uint256[] calldata amounts, uint256 callGas) external {
        if (msg.sender != _factory) revert LastingDepositFactory.NotFactory();
        Outside.moveTokens(_treasury, tokens, amounts, callGas);
        Outside.moveCoin(_treasury, callGas);
    }
}

/// @title Deposit addresses for networks that do not remove destroyed contracts, or have no transient storage
contract LastingDepositFactory is DepositFactoryBase {
    /// @notice Only the factory may move what is at a deposit address.
    error NotFactory();

    uint256 private _isSweeping = 1;

    /// @inheritdoc IDepositFactory
    function sweep(address treasury, bytes32[] calldata salts, address[] calldata tokens) external {
        if (_isSweeping != 1) revert Reentered();
        _isSweeping = 2;
        _sweep(treasury, salts, tokens);
        _isSweeping = 1;
    }

    function _move(Sweep memory all, bytes32 salt, address deposit, uint256[] memory amounts)
        internal
        override
        returns (bool)
    {
        if (deposit.code.length == 0) new Deposit{salt: salt}(all.treasury);
        try Deposit(payable(deposit)).move(all.tokens, amounts, all.callGas) {
            return true;
        } catch (bytes memory answer) {
            _requireCoinRefused(answer);
            return false;
        }
    }

    function _initCode(address treasury) internal pure override returns (bytes memory) {
        return abi.encodePacked(type(Deposit).creationCode, abi.encode(treasury));
    }
}
