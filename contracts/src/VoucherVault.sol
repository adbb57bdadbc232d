// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Asset} from "./Asset.sol";
import {IVoucherVault} from "./IVoucherVault.sol";
import {Record, VoucherRecord} from "./VoucherRecord.sol";

/// @title Vouchers of one currency, held by a contract
/// @dev Cannot be upgraded, and gives nobody access to the balances of vouchers. Needs no transient storage, so the same
/// code runs on networks before Cancun.
contract VoucherVault is IVoucherVault {
    using Asset for address;
    using VoucherRecord for uint256;

    bytes32 private constant DOMAIN_TYPE =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant REDEMPTION_TYPE = keccak256(
        "Redemption(bytes32 codeHash,address recipient,uint128 amount,uint128 fee,address feeRecipient,uint32 nonce,uint40 deadline,bytes32 ref)"
    );
    /// @dev Half of the order of secp256k1. For each signature there is a second one with s above this.
    uint256 private constant S_MAX = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;
    uint256 private constant VALIDITY_MAX = 3_653 days;
    uint256 private constant PAUSED = 1 << 255;
    uint256 private constant BUSY = 1 << 254;

    /// @inheritdoc IVoucherVault
    address public immutable asset;
    uint256 private immutable _chainId;
    bytes32 private immutable _domain;

    /// @dev Liabilities in the lower bits, with the flags `PAUSED` and `BUSY` above them. Every payment changes the
    /// liabilities, so `BUSY`, which guards against re-entrancy, costs no more than another write to a warm slot.
    uint256 private _state;
    mapping(bytes32 codeHash => Record) private _records;
    /// @inheritdoc IVoucherVault
    mapping(address account => bool) public isOperator;
    /// @inheritdoc IVoucherVault
    address public owner;
    /// @inheritdoc IVoucherVault
    address public pendingOwner;

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner();
        _;
    }

    /// @param asset_ The token, or zero for the coin of the network.
    /// @param owner_ May pause, skim and appoint operators.
    /// @param operator The first operator, or zero for none.
    constructor(address asset_, address owner_, address operator) {
        if (asset_ != address(0) && asset_.code.length == 0) revert AssetInvalid();
        if (owner_ == address(0)) revert OwnerMissing();
        asset = asset_;
        owner = owner_;
        emit OwnershipTransferred(address(0), owner_);
        if (operator != address(0)) _setOperator(operator, true);
        _chainId = block.chainid;
        _domain = _hashDomain();
    }

    /// @inheritdoc IVoucherVault
    function createVoucher(address claimKey, uint128 amount, uint40 expiry, bool isLocked, bool isRevocable)
        external
        payable
        returns (bytes32 codeHash)
    {
        uint256 state = _requireActive();
        codeHash = _create(claimKey, amount, _packTerms(expiry, isLocked, isRevocable));
        emit VoucherCreated(codeHash, msg.sender, amount, expiry, isLocked, isRevocable);
        _collect(state, amount);
    }

    /// @inheritdoc IVoucherVault
    function createVouchers(
        address[] calldata claimKeys,
        uint128[] calldata amounts,
        uint40 expiry,
        bool isLocked,
        bool isRevocable
    ) external payable {
        uint256 state = _requireActive();
        if (claimKeys.length != amounts.length) revert LengthMismatch();
        uint256 terms = _packTerms(expiry, isLocked, isRevocable);
        uint256 total;
        for (uint256 i; i < claimKeys.length; ++i) {
            uint128 amount = amounts[i];
            bytes32 codeHash = _create(claimKeys[i], amount, terms);
            emit VoucherCreated(codeHash, msg.sender, amount, expiry, isLocked, isRevocable);
            total += amount;
        }
        _collect(state, total);
    }

    /// @inheritdoc IVoucherVault
    function redeem(Redemption calldata redemption, bytes calldata signature) external {
        uint256 state = _requireActive();
        Record storage record = _records[redemption.codeHash];
        (uint256 terms, uint256 funds) = (record.terms, record.funds);
        _requireRedeemable(redemption, terms);
        _requireSignature(redemption, signature, terms.creatorOf());
        uint256 total = uint256(redemption.amount) + redemption.fee;
        if (total > funds.balanceOf()) revert BalanceTooLow();

        (state, funds) = (state - total, funds - total);
        record.terms = terms + VoucherRecord.NONCE_ONE;
        record.funds = funds;
        _state = state | BUSY;
        emit VoucherRedeemed(
            redemption.codeHash,
            redemption.recipient,
            redemption.ref,
            redemption.amount,
            redemption.fee,
            redemption.feeRecipient,
            redemption.nonce,
            funds.balanceOf()
        );

        _send(redemption.recipient, redemption.amount);
        if (redemption.fee != 0) _send(redemption.feeRecipient, redemption.fee);
        _state = state;
    }

    /// @inheritdoc IVoucherVault
    function close(bytes32 codeHash) external {
        uint256 state = _requireIdle();
        Record storage record = _records[codeHash];
        uint256 terms = record.terms;
        address creator = terms.creatorOf();
        if (creator == address(0)) revert VoucherNotFound();
        bool isRevoked = terms & VoucherRecord.REVOCABLE != 0 && msg.sender == creator;
        if (block.timestamp <= terms.expiryOf() && !isRevoked) revert VoucherNotClosable();
        uint128 balance = record.funds.balanceOf();
        if (balance == 0) revert BalanceTooLow();

        // The terms stay, so that the hash cannot be used again.
        record.funds = 0;
        state -= balance;
        _state = state | BUSY;
        emit VoucherClosed(codeHash, creator, balance);

        _send(creator, balance);
        _state = state;
    }

    /// @inheritdoc IVoucherVault
    function pause() external onlyOwner {
        _state = _requireIdle() | PAUSED;
        emit Paused();
    }

    /// @inheritdoc IVoucherVault
    function unpause() external onlyOwner {
        _state = _requireIdle() & ~PAUSED;
        emit Unpaused();
    }

    /// @inheritdoc IVoucherVault
    function setOperator(address operator, bool isOperator_) external onlyOwner {
        _setOperator(operator, isOperator_);
    }

    /// @inheritdoc IVoucherVault
    function transferOwnership(address pendingOwner_) external onlyOwner {
        pendingOwner = pendingOwner_;
        emit OwnershipTransferStarted(msg.sender, pendingOwner_);
    }

    /// @inheritdoc IVoucherVault
    function acceptOwnership() external {
        if (msg.sender != pendingOwner) revert NotPendingOwner();
        emit OwnershipTransferred(owner, msg.sender);
        owner = msg.sender;
        pendingOwner = address(0);
    }

    /// @inheritdoc IVoucherVault
    function skim(address to) external onlyOwner returns (uint256 amount) {
        uint256 state = _requireIdle();
        uint256 held = asset.held();
        // Some tokens reduce balances by themselves. Then the vault may hold less than it owes.
        if (held <= liabilities()) return 0;
        amount = held - liabilities();
        _state = state | BUSY;
        emit Skimmed(to, amount);
        _send(to, amount);
        _state = state;
    }

    /// @inheritdoc IVoucherVault
    function getVoucher(bytes32 codeHash) external view returns (Voucher memory) {
        Record storage record = _records[codeHash];
        return record.terms.unpack(record.funds);
    }

    /// @inheritdoc IVoucherVault
    function digestOf(Redemption calldata redemption) public view returns (bytes32) {
        // After a fork, the chain has another id, and a signature must not be valid on both chains.
        bytes32 domain = block.chainid == _chainId ? _domain : _hashDomain();
        // All fields have a fixed size, so the ABI encoding of the struct is what EIP-712 asks for.
        return keccak256(abi.encodePacked(hex"1901", domain, keccak256(abi.encode(REDEMPTION_TYPE, redemption))));
    }

    /// @inheritdoc IVoucherVault
    function liabilities() public view returns (uint256) {
        return _state & ~(PAUSED | BUSY);
    }

    /// @inheritdoc IVoucherVault
    function isPaused() external view returns (bool) {
        return _state & PAUSED != 0;
    }

    function _setOperator(address operator, bool isOperator_) private {
        isOperator[operator] = isOperator_;
        emit OperatorSet(operator, isOperator_);
    }

    function _create(address claimKey, uint128 amount, uint256 terms) private returns (bytes32 codeHash) {
        // ecrecover returns zero for a malformed signature, so anyone could sign for this key.
        if (claimKey == address(0)) revert ClaimKeyMissing();
        if (amount == 0) revert AmountMissing();
        codeHash = _hashCode(msg.sender, claimKey);
        Record storage record = _records[codeHash];
        if (record.terms != 0) revert VoucherExists();
        record.terms = terms;
        record.funds = VoucherRecord.packFunds(amount);
    }

    /// @dev Takes exactly this amount from the sender. A token that keeps a part of a transfer is refused.
    function _collect(uint256 state, uint256 amount) private {
        if (msg.value != (asset == address(0) ? amount : 0)) revert PaymentInexact();
        state += amount;
        if (asset != address(0)) {
            _state = state | BUSY;
            uint256 before = asset.held();
            if (!asset.pull(msg.sender, amount)) revert TransferFailed();
            if (asset.held() != before + amount) revert PaymentInexact();
        }
        _state = state;
    }

    function _send(address to, uint256 amount) private {
        if (to == address(0) || to == address(this)) revert RecipientInvalid();
        if (!asset.send(to, amount)) revert TransferFailed();
    }

    /// @dev Nothing that an asset or a recipient calls may change the state, so a function may keep it while it pays.
    function _requireIdle() private view returns (uint256 state) {
        state = _state;
        if (state & BUSY != 0) revert Reentered();
    }

    function _requireActive() private view returns (uint256 state) {
        state = _requireIdle();
        if (state & PAUSED != 0) revert VaultPaused();
    }

    function _packTerms(uint40 expiry, bool isLocked, bool isRevocable) private view returns (uint256) {
        if (expiry <= block.timestamp || expiry > block.timestamp + VALIDITY_MAX) revert ExpiryInvalid();
        return VoucherRecord.packTerms(msg.sender, expiry, isLocked, isRevocable);
    }

    function _requireRedeemable(Redemption calldata redemption, uint256 terms) private view {
        if (terms == 0) revert VoucherNotFound();
        if (block.timestamp > terms.expiryOf()) revert VoucherExpired();
        if (block.timestamp > redemption.deadline) revert DeadlinePassed();
        if (redemption.nonce != terms.nonceOf()) revert NonceMismatch();
        if (redemption.amount == 0) revert AmountMissing();
        if (terms & VoucherRecord.LOCKED != 0 && !isOperator[msg.sender]) revert NotOperator();
    }

    /// @dev The claim key is not stored: the hash of the recovered key and the creator must be that of the voucher.
    function _requireSignature(Redemption calldata redemption, bytes calldata signature, address creator) private view {
        if (signature.length != 65) revert SignatureInvalid();
        (bytes32 r, bytes32 s) = abi.decode(signature, (bytes32, bytes32));
        if (uint256(s) > S_MAX) revert SignatureInvalid();
        address signer = ecrecover(digestOf(redemption), uint8(signature[64]), r, s);
        if (signer == address(0) || _hashCode(creator, signer) != redemption.codeHash) revert SignatureInvalid();
    }

    function _hashDomain() private view returns (bytes32) {
        bytes32 name = keccak256("Scrip VoucherVault");
        return keccak256(abi.encode(DOMAIN_TYPE, name, keccak256("1"), block.chainid, address(this)));
    }

    function _hashCode(address creator, address claimKey) private pure returns (bytes32) {
        return keccak256(abi.encode(creator, claimKey));
    }
}
