// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IVoucherVault} from "../src/IVoucherVault.sol";
import {TestToken} from "./local/TestToken.sol";

/// @dev Calls the vault while the vault is paying or being paid. Records with which error each call is refused.
abstract contract Reentrant {
    address public vault;
    bytes[] private _calls;
    bytes4[] public errors;

    function aim(address vault_, bytes[] memory calls) external {
        vault = vault_;
        delete _calls;
        delete errors;
        for (uint256 i; i < calls.length; ++i) {
            _calls.push(calls[i]);
        }
    }

    function attempts() external view returns (uint256) {
        return errors.length;
    }

    function _reenter() internal {
        for (uint256 i; i < _calls.length; ++i) {
            (bool isDone, bytes memory answer) = vault.call(_calls[i]);
            // forge-lint: disable-next-line(unsafe-typecast)
            errors.push(isDone ? bytes4(0) : bytes4(answer));
        }
    }
}

/// @dev Calls back on transfers, as ERC-777 does for its holders.
contract HookedToken is TestToken, Reentrant {
    constructor() TestToken("Hooked", "777", 18) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        _reenter();
        super._transfer(from, to, amount);
    }
}

/// @dev A holder of coin that calls back, refuses, or burns all gas.
contract HostileAccount is Reentrant {
    enum Mood {
        REENTERS,
        REFUSES,
        BURNS_GAS,
        ANSWERS_AT_LENGTH
    }

    error Refused();

    Mood public mood;

    function setMood(Mood mood_) external {
        mood = mood_;
    }

    /// @dev Acts as the creator, owner or relayer.
    function act(address to, uint256 value, bytes calldata data) external {
        (bool isDone, bytes memory answer) = to.call{value: value}(data);
        if (isDone) return;
        assembly {
            revert(add(answer, 32), mload(answer))
        }
    }

    receive() external payable {
        if (mood == Mood.REFUSES) revert Refused();
        if (mood == Mood.BURNS_GAS) {
            assembly {
                invalid()
            }
        }
        if (mood == Mood.ANSWERS_AT_LENGTH) {
            assembly {
                return(0, 200000)
            }
        }
        _reenter();
    }
}

/// @dev Every way in which a token may lie about a transfer.
contract LyingToken is TestToken {
    enum Lie {
        NONE,
        RETURNS_FALSE,
        RETURNS_TWO,
        RETURNS_A_BYTE,
        MOVES_NOTHING,
        MOVES_MORE,
        HIDES_BALANCES,
        RETURNS_FALSE_BUT_MOVES,
        REVERTS_WITHOUT_REASON
    }

    Lie public lie;

    constructor() TestToken("Lying", "LIE", 18) {}

    function setLie(Lie lie_) external {
        lie = lie_;
    }

    function destroy(address holder, uint256 amount) external {
        _balances[holder] -= amount;
    }

    function balanceOf(address holder) external view override returns (uint256) {
        if (lie == Lie.HIDES_BALANCES) {
            assembly {
                return(0, 0)
            }
        }
        return _balances[holder];
    }

    function transfer(address to, uint256 amount) external override returns (bool) {
        return _lie(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        _spend(from, amount);
        return _lie(from, to, amount);
    }

    function _lie(address from, address to, uint256 amount) private returns (bool) {
        if (lie == Lie.RETURNS_FALSE) return false;
        if (lie == Lie.REVERTS_WITHOUT_REASON) {
            assembly {
                revert(0, 0)
            }
        }
        if (lie == Lie.MOVES_NOTHING) return true;
        if (lie == Lie.MOVES_MORE) amount += 1;
        _transfer(from, to, amount);
        if (lie == Lie.RETURNS_TWO) {
            assembly {
                mstore(0, 2)
                return(0, 32)
            }
        }
        if (lie == Lie.RETURNS_A_BYTE) {
            assembly {
                mstore(0, 1)
                return(0, 1)
            }
        }
        return lie != Lie.RETURNS_FALSE_BUT_MOVES;
    }
}
