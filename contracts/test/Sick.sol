// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IDepositFactory} from "../src/IDepositFactory.sol";
import {TestToken} from "./local/TestToken.sol";

/// @dev Every way in which a token may misbehave.
contract SickToken is TestToken {
    enum Illness {
        NONE,
        REVERTS,
        ANSWERS_FALSE,
        BURNS_GAS,
        ANSWERS_AT_LENGTH,
        LIES_ABOUT_SUCCESS,
        HIDES_BALANCES,
        BURNS_GAS_FOR_BALANCES,
        MOVES_HALF,
        REENTERS,
        GROWS
    }

    error Sick();

    Illness public illness;
    IDepositFactory public factory;
    address public treasury;
    bytes32 public salt;
    bool public isReentryRefused;
    /// @dev The slots that an expensive but honest transfer writes to.
    mapping(uint256 => uint256) public ballast;
    uint256 public ballastPerTransfer;

    constructor() TestToken("Sick", "SICK", 18) {}

    function fallIll(Illness illness_) external {
        illness = illness_;
    }

    function fallIll(IDepositFactory factory_, address treasury_, bytes32 salt_) external {
        (illness, factory, treasury, salt) = (Illness.REENTERS, factory_, treasury_, salt_);
    }

    function load(uint256 slots) external {
        ballastPerTransfer = slots;
    }

    function balanceOf(address holder) external view override returns (uint256) {
        if (illness == Illness.HIDES_BALANCES) revert Sick();
        if (illness == Illness.BURNS_GAS_FOR_BALANCES) _burnGas();
        return _balances[holder];
    }

    function transfer(address to, uint256 amount) external override returns (bool) {
        if (illness == Illness.REVERTS) revert Sick();
        if (illness == Illness.ANSWERS_FALSE) return false;
        if (illness == Illness.LIES_ABOUT_SUCCESS) return true;
        if (illness == Illness.BURNS_GAS) _burnGas();
        if (illness == Illness.ANSWERS_AT_LENGTH) {
            assembly {
                revert(0, 200000)
            }
        }
        if (illness == Illness.MOVES_HALF) amount /= 2;
        if (illness == Illness.GROWS) {
            _balances[msg.sender] += 1;
            return true;
        }
        if (illness == Illness.REENTERS) _reenter();
        for (uint256 i = 1; i <= ballastPerTransfer; ++i) {
            ballast[i] += 1;
        }
        _transfer(msg.sender, to, amount);
        return true;
    }

    function _reenter() private {
        bytes32[] memory salts = new bytes32[](1);
        salts[0] = salt;
        address[] memory tokens = new address[](1);
        tokens[0] = address(this);
        try factory.sweep(treasury, salts, tokens) {}
        catch (bytes memory answer) {
            // forge-lint: disable-next-line(unsafe-typecast)
            isReentryRefused = bytes4(answer) == IDepositFactory.Reentered.selector;
        }
    }

    function _burnGas() private pure {
        assembly {
            invalid()
        }
    }
}

/// @dev A treasury that can refuse coin, burn gas, sweep again while it receives, or send coin back.
contract MoodyTreasury {
    enum Mood {
        ACCEPTS,
        REFUSES,
        BURNS_GAS,
        REENTERS,
        SENDS_BACK
    }

    error Refused();

    Mood public mood;
    IDepositFactory public factory;
    bytes32 public salt;

    function setMood(Mood mood_, IDepositFactory factory_, bytes32 salt_) external {
        (mood, factory, salt) = (mood_, factory_, salt_);
    }

    receive() external payable {
        if (mood == Mood.REFUSES) revert Refused();
        if (mood == Mood.BURNS_GAS) {
            assembly {
                invalid()
            }
        }
        if (mood == Mood.REENTERS) {
            bytes32[] memory salts = new bytes32[](1);
            salts[0] = salt;
            factory.sweep(address(this), salts, new address[](0));
        }
        if (mood == Mood.SENDS_BACK) {
            mood = Mood.ACCEPTS;
            (bool isPaid,) = msg.sender.call{value: msg.value}("");
            if (!isPaid) revert Refused();
        }
    }
}

/// @dev Pays as old wallets and exchanges do: with only the stipend of 2,300 gas.
contract StipendPayer {
    function pay(address to) external payable returns (bool isPaid) {
        (isPaid,) = to.call{value: msg.value, gas: 0}("");
    }
}
