// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IVoucherVault} from "../src/IVoucherVault.sol";

enum VaultFault {
    NONE,
    PAYS_ANOTHER,
    PAYS_TOO_MUCH,
    REPORTS_NOTHING,
    REPORTS_ANOTHER_REFERENCE,
    FORGETS_TO_COUNT,
    ACCEPTS_REPLAYS,
    ACCEPTS_ANY_SIGNATURE,
    IGNORES_DEADLINES,
    KEEPS_THE_REST,
    CREATES_NOTHING,
    REVERTS
}

/// @dev Has one fault, to show that the self-test of a vault detects it. Holds coin, and has only what the test calls.
contract BrokenVault {
    VaultFault private immutable _fault;
    mapping(bytes32 codeHash => IVoucherVault.Voucher) private _vouchers;

    constructor(VaultFault fault) {
        _fault = fault;
    }

    function createVoucher(address claimKey, uint128 amount, uint40 expiry, bool isLocked, bool isRevocable)
        external
        payable
        returns (bytes32 codeHash)
    {
        codeHash = keccak256(abi.encode(msg.sender, claimKey));
        if (_fault != VaultFault.CREATES_NOTHING) {
            _vouchers[codeHash] = IVoucherVault.Voucher(msg.sender, amount, amount, 0, expiry, isLocked, isRevocable);
        }
        emit IVoucherVault.VoucherCreated(codeHash, msg.sender, amount, expiry, isLocked, isRevocable);
    }

    function redeem(IVoucherVault.Redemption calldata redemption, bytes calldata signature) external {
        IVoucherVault.Voucher storage voucher = _vouchers[redemption.codeHash];
        require(_fault != VaultFault.REVERTS);
        require(redemption.nonce == voucher.nonce || _fault == VaultFault.ACCEPTS_REPLAYS);
        require(block.timestamp <= redemption.deadline || _fault == VaultFault.IGNORES_DEADLINES);
        require(_isSigned(redemption, signature, voucher.creator) || _fault == VaultFault.ACCEPTS_ANY_SIGNATURE);
        voucher.nonce += 1;
        if (_fault != VaultFault.FORGETS_TO_COUNT) voucher.balance -= redemption.amount;
        bytes32 ref = _fault == VaultFault.REPORTS_ANOTHER_REFERENCE ? bytes32(0) : redemption.ref;
        if (_fault != VaultFault.REPORTS_NOTHING) {
            emit IVoucherVault.VoucherRedeemed(
                redemption.codeHash,
                redemption.recipient,
                ref,
                redemption.amount,
                redemption.fee,
                redemption.feeRecipient,
                redemption.nonce,
                voucher.balance
            );
        }
        address to = _fault == VaultFault.PAYS_ANOTHER ? address(0xbad) : redemption.recipient;
        _pay(to, _fault == VaultFault.PAYS_TOO_MUCH ? redemption.amount + 1 : redemption.amount);
    }

    function close(bytes32 codeHash) external {
        IVoucherVault.Voucher storage voucher = _vouchers[codeHash];
        uint128 amount = voucher.balance;
        voucher.balance = 0;
        emit IVoucherVault.VoucherClosed(codeHash, voucher.creator, amount);
        if (_fault != VaultFault.KEEPS_THE_REST) _pay(voucher.creator, amount);
    }

    function getVoucher(bytes32 codeHash) external view returns (IVoucherVault.Voucher memory) {
        return _vouchers[codeHash];
    }

    function _pay(address to, uint256 amount) private {
        (bool isPaid,) = to.call{value: amount}("");
        require(isPaid);
    }

    function _isSigned(IVoucherVault.Redemption calldata redemption, bytes calldata signature, address creator)
        private
        view
        returns (bool)
    {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("Scrip VoucherVault"),
                keccak256("1"),
                block.chainid,
                address(this)
            )
        );
        bytes32 kind = keccak256(
            "Redemption(bytes32 codeHash,address recipient,uint128 amount,uint128 fee,address feeRecipient,uint32 nonce,uint40 deadline,bytes32 ref)"
        );
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", domain, keccak256(abi.encode(kind, redemption))));
        (bytes32 r, bytes32 s) = abi.decode(signature, (bytes32, bytes32));
        return keccak256(abi.encode(creator, ecrecover(digest, uint8(signature[64]), r, s))) == redemption.codeHash;
    }
}
