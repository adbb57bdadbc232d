// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IDepositFactory} from "../src/IDepositFactory.sol";

enum Fault {
    NONE,
    LEAVES_CODE,
    LEAVES_NOTHING_BUT_A_NONCE,
    BURNS_COIN,
    ROBS,
    TELLS_TOO_MUCH,
    TELLS_NOTHING,
    MOVES_NOTHING
}

contract BrokenSweeper {
    constructor(address treasury, Fault fault) {
        if (fault == Fault.BURNS_COIN) selfdestruct(payable(address(this)));
        address to = fault == Fault.ROBS ? address(0xbad) : treasury;
        (bool isPaid,) = to.call{value: address(this).balance}("");
        assert(isPaid);
        if (fault == Fault.LEAVES_CODE) return;
        if (fault == Fault.LEAVES_NOTHING_BUT_A_NONCE) {
            assembly {
                return(0, 0)
            }
        }
        selfdestruct(payable(treasury));
    }
}

/// @dev Has one fault, to show that the self-test of a network detects it. Sweeps coin only.
contract BrokenFactory is IDepositFactory {
    Fault private immutable _fault;

    constructor(Fault fault) {
        _fault = fault;
    }

    /// @inheritdoc IDepositFactory
    function sweep(address treasury, bytes32[] calldata salts, address[] calldata) external {
        for (uint256 i; i < salts.length; ++i) {
            address deposit = addressOf(treasury, salts[i]);
            uint256 amount = deposit.balance;
            if (_fault != Fault.MOVES_NOTHING) new BrokenSweeper{salt: salts[i]}(treasury, _fault);
            if (_fault == Fault.TELLS_NOTHING) continue;
            emit Swept(treasury, salts[i], address(0), deposit, _fault == Fault.TELLS_TOO_MUCH ? amount + 1 : amount);
        }
    }

    /// @inheritdoc IDepositFactory
    function addressOf(address treasury, bytes32 salt) public view returns (address) {
        bytes32 codeHash = keccak256(abi.encodePacked(type(BrokenSweeper).creationCode, abi.encode(treasury, _fault)));
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", address(this), salt, codeHash)))));
    }
}
