// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IVoucherVault} from "./IVoucherVault.sol";

/// @dev A voucher in two slots, packed by hand. With a struct of fields, which the compiler writes one by one, a voucher of
/// a batch cost 51,207 gas instead of 48,698.
struct Record {
    /// From the lowest bit: creator (160), expiry (40), isLocked (1), isRevocable (1), and the nonce in the highest 32.
    uint256 terms;
    /// Balance in the lower half, value in the upper half.
    uint256 funds;
}

/// @title How the fields of a voucher are packed
/// @dev The nonce comes last, so that counting beyond it is an arithmetic error and changes no other field.
library VoucherRecord {
    uint256 internal constant LOCKED = 1 << 200;
    uint256 internal constant REVOCABLE = 1 << 201;
    uint256 internal constant NONCE_ONE = 1 << 224;

    function packTerms(address creator, uint40 expiry, bool isLocked, bool isRevocable)
        internal
        pure
        returns (uint256 terms)
    {
        terms = uint256(uint160(creator)) | uint256(expiry) << 160;
        if (isLocked) terms |= LOCKED;
        if (isRevocable) terms |= REVOCABLE;
    }

    function packFunds(uint128 value) internal pure returns (uint256) {
        return uint256(value) << 128 | value;
    }

    // The casts cut off the other fields, which is what they are for.
    // forge-lint: disable-start(unsafe-typecast)

    function creatorOf(uint256 terms) internal pure returns (address) {
        return address(uint160(terms));
    }

    function expiryOf(uint256 terms) internal pure returns (uint40) {
        return uint40(terms >> 160);
    }

    function nonceOf(uint256 terms) internal pure returns (uint32) {
        return uint32(terms >> 224);
    }

    function balanceOf(uint256 funds) internal pure returns (uint128) {
        return uint128(funds);
    }

    function unpack(uint256 terms, uint256 funds) internal pure returns (IVoucherVault.Voucher memory) {
        return IVoucherVault.Voucher({
            creator: creatorOf(terms),
            value: uint128(funds >> 128),
            balance: balanceOf(funds),
            nonce: nonceOf(terms),
            expiry: expiryOf(terms),
            isLocked: terms & LOCKED != 0,
            isRevocable: terms & REVOCABLE != 0
        });
    }

    // forge-lint: disable-end(unsafe-typecast)
}
